package cover

import (
	"encoding/xml"
	"io"
)

// The part of the UCIS interchange format that coverage by bins needs: an instance a stage, a cover point a group.
type (
	ucis struct {
		XMLName   xml.Name       `xml:"UCIS"`
		Version   string         `xml:"ucisVersion,attr"`
		WrittenBy string         `xml:"writtenBy,attr"`
		Instances []ucisInstance `xml:"instanceCoverages"`
	}
	ucisInstance struct {
		Name   string      `xml:"name,attr"`
		Key    string      `xml:"key,attr"`
		Module string      `xml:"moduleName,attr"`
		Points []ucisPoint `xml:"covergroupCoverage>cgInstance>coverpoint"`
	}
	ucisPoint struct {
		Name string    `xml:"name,attr"`
		Key  string    `xml:"key,attr"`
		Bins []ucisBin `xml:"coverpointBin"`
	}
	ucisBin struct {
		Name     string       `xml:"name,attr"`
		Key      string       `xml:"key,attr"`
		Type     string       `xml:"type,attr"` // bins, ignore or illegal
		Contents ucisContents `xml:"range>contents"`
	}
	ucisContents struct {
		Count uint64 `xml:"coverageCount,attr"`
	}
)

// WriteUCIS writes sheets as UCIS XML. No second tool has read what it writes.
func WriteUCIS(w io.Writer, sheets []*Sheet) error {
	doc := ucis{Version: "1.0", WrittenBy: "hcacosim"}
	for _, s := range sheets {
		instance := ucisInstance{Name: s.Stage, Key: "0", Module: s.Stage}
		for _, g := range s.Groups {
			point := ucisPoint{Name: g.Name, Key: "0"}
			for i := range g.Bins {
				point.Bins = append(point.Bins, g.Bins[i].ucis())
			}
			instance.Points = append(instance.Points, point)
		}
		doc.Instances = append(doc.Instances, instance)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	return enc.Encode(doc)
}

func (b *Bin) ucis() ucisBin {
	kind := "bins"
	switch {
	case b.Illegal != "":
		kind = "illegal"
	case b.Ignored != "":
		kind = "ignore"
	}
	return ucisBin{Name: b.Name, Key: "0", Type: kind, Contents: ucisContents{b.Hits}}
}
