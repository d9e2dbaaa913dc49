package cover

import (
	"encoding/xml"
	"io"
	"strings"
)

// The part of the UCIS 1.0 interchange format that coverage by bins needs (testdata/ucis.xsd): an instance and a cover
// group a stage, a cover point a group, a history node a run. Elements stand in the order of the format.
type (
	ucis struct {
		XMLName   xml.Name       `xml:"UCIS"`
		Version   string         `xml:"ucisVersion,attr"`
		WrittenBy string         `xml:"writtenBy,attr"`
		Written   string         `xml:"writtenTime,attr"`
		Files     []ucisFile     `xml:"sourceFiles"`
		History   []ucisHistory  `xml:"historyNodes"`
		Instances []ucisInstance `xml:"instanceCoverages"`
	}
	ucisFile struct {
		Name string `xml:"fileName,attr"`
		ID   int    `xml:"id,attr"`
	}
	ucisHistory struct {
		ID          int    `xml:"historyNodeId,attr"`
		Name        string `xml:"logicalName,attr"`
		Kind        string `xml:"kind,attr"`
		Status      bool   `xml:"testStatus,attr"`
		Cmd         string `xml:"cmd,attr"`
		Date        string `xml:"date,attr"`
		User        string `xml:"userName,attr"`
		Category    string `xml:"toolCategory,attr"`
		Version     string `xml:"ucisVersion,attr"`
		Vendor      string `xml:"vendorId,attr"`
		Tool        string `xml:"vendorTool,attr"`
		ToolVersion string `xml:"vendorToolVersion,attr"`
	}
	ucisPlace struct {
		File   int `xml:"file,attr"`
		Line   int `xml:"line,attr"`
		Inline int `xml:"inlineCount,attr"`
	}
	ucisInstance struct {
		Name   string    `xml:"name,attr"`
		Key    string    `xml:"key,attr"`
		Module string    `xml:"moduleName,attr"`
		ID     ucisPlace `xml:"id"`
		Group  ucisGroup `xml:"covergroupCoverage>cgInstance"`
	}
	ucisGroup struct {
		Name    string      `xml:"name,attr"`
		Key     string      `xml:"key,attr"`
		Options ucisOptions `xml:"options"`
		ID      ucisGroupID `xml:"cgId"`
		Points  []ucisPoint `xml:"coverpoint"`
	}
	ucisGroupID struct {
		Name     string    `xml:"cgName,attr"`
		Module   string    `xml:"moduleName,attr"`
		Instance ucisPlace `xml:"cginstSourceId"`
		Group    ucisPlace `xml:"cgSourceId"`
	}
	ucisOptions struct{} // all as the format has them
	ucisPoint   struct {
		Name    string      `xml:"name,attr"`
		Key     string      `xml:"key,attr"`
		Options ucisOptions `xml:"options"`
		Bins    []ucisBin   `xml:"coverpointBin"`
	}
	ucisBin struct {
		Name  string     `xml:"name,attr"`
		Key   string     `xml:"key,attr"`
		Type  string     `xml:"type,attr"` // bins, ignore or illegal
		Range ucisRange  `xml:"range"`
		Attrs []ucisAttr `xml:"userAttr"`
	}
	ucisRange struct {
		From     int          `xml:"from,attr"`
		To       int          `xml:"to,attr"`
		Contents ucisContents `xml:"contents"`
	}
	ucisContents struct {
		Count uint64 `xml:"coverageCount,attr"`
	}
	ucisAttr struct {
		Key  string `xml:"key,attr"`
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
)

// ucisTime stands for the time of writing: the same coverage gives the same bytes.
const ucisTime = "2000-01-01T00:00:00"

// WriteUCIS writes sheets as UCIS XML. A bin is a range of its number in its group; its rules and why it is not waited
// for are attributes. No second tool has read what it writes.
func WriteUCIS(w io.Writer, sheets []*Sheet) error {
	doc := ucis{Version: "1.0", WrittenBy: "hcacosim", Written: ucisTime}
	for i, s := range sheets {
		file := ucisFile{"docs/blocks/" + s.Stage + ".md", i + 1}
		doc.Files = append(doc.Files, file)
		for _, run := range s.Runs {
			doc.History = append(doc.History, ucisHistory{ID: len(doc.History), Name: run, Kind: "TEST", Status: true, Cmd: run,
				Date: ucisTime, User: "-", Category: "hcacosim", Version: "1.0", Vendor: "hcacosim", Tool: "cosim",
				ToolVersion: "1"})
		}
		doc.Instances = append(doc.Instances, s.ucis(ucisPlace{file.ID, 1, 1}))
	}
	if len(doc.History) == 0 { // the format wants one
		doc.History = []ucisHistory{{Name: "no run", Kind: "TEST", Date: ucisTime, User: "-", Category: "hcacosim",
			Version: "1.0", Vendor: "hcacosim", Tool: "cosim", ToolVersion: "1"}}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	return enc.Encode(doc)
}

func (s *Sheet) ucis(at ucisPlace) ucisInstance {
	group := ucisGroup{Name: s.Stage, Key: "0", ID: ucisGroupID{Name: s.Stage, Module: s.Stage, Instance: at, Group: at}}
	for _, g := range s.Groups {
		point := ucisPoint{Name: g.Name, Key: "0"}
		for i := range g.Bins {
			point.Bins = append(point.Bins, g.Bins[i].ucis(i))
		}
		group.Points = append(group.Points, point)
	}
	return ucisInstance{Name: s.Stage, Key: "0", Module: s.Stage, ID: at, Group: group}
}

func (b *Bin) ucis(number int) ucisBin {
	u := ucisBin{Name: b.Name, Key: "0", Type: "bins", Range: ucisRange{number, number, ucisContents{b.Hits}}}
	attr := func(key, text string) {
		if text != "" {
			u.Attrs = append(u.Attrs, ucisAttr{key, "str", text})
		}
	}
	switch {
	case b.Illegal != "":
		u.Type = "illegal"
	case b.Ignored != "":
		u.Type = "ignore"
	}
	attr("rules", strings.Join(b.Rules, " "))
	attr("reason", b.Ignored+b.Illegal)
	return u
}
