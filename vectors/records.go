package vectors

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"regexp"
	"strconv"

	"hcacosim/model/sim"
	"hcacosim/vectors/capture"
)

// jsonRecord is a line of records.jsonl.
type jsonRecord struct {
	Port  string `json:"port"`
	Seq   uint64 `json:"seq"`
	Cause uint64 `json:"cause"`          // of an expected record
	From  string `json:"from,omitempty"` // of an expected record: the input that cause counts on, if not the first
	// of a record of the stimulus: how many packets of the stimulus stand before it
	After uint64   `json:"after"`
	Start uint64   `json:"start,omitempty"` // of a record of the stimulus: not before this cycle
	Key   uint32   `json:"key,omitempty"`
	Need  string   `json:"need,omitempty"`  // of an expected record: may, one; otherwise must
	Group uint32   `json:"group,omitempty"` // of an expected record
	By    uint64   `json:"by,omitempty"`    // of an expected record: cycles behind its cause
	Rules ruleList `json:"rules,omitempty"` // of an expected record
	User  uint32   `json:"user,omitempty"`
	Data  string   `json:"data,omitempty"` // hex; of ports that are not in a capture
}

// appendOfferLine appends the line of an input behind so many packets, in the one form that this program writes.
func appendOfferLine(b []byte, port string, o *sim.Offer, packets uint64, withData bool) []byte {
	b = appendLineHead(b, port, o.Seq)
	b = append(b, `,"after":`...)
	b = strconv.AppendUint(b, packets, 10)
	b = appendUnlessZero(b, `,"start":`, o.NotBefore)
	return appendLineTail(b, o.Key, o.User, o.Data, withData)
}

// appendRecordLine appends the line of an expected record.
func appendRecordLine(b []byte, port string, r *sim.Record, set *setWriter, withData bool) []byte {
	b = appendLineHead(b, port, r.Seq)
	b = append(b, `,"cause":`...)
	b = strconv.AppendUint(b, r.Cause, 10)
	if r.From != 0 {
		b = append(b, `,"from":"`...)
		b = append(append(b, inputNamed(set.stage.Ports, r.From)...), '"')
	}
	b = appendUnlessZero(b, `,"key":`, uint64(r.Key))
	b = appendRules(appendNeed(b, r, set.by), set.rules)
	return appendLineTail(b, 0, r.User, r.Data, withData)
}

func appendLineHead(b []byte, port string, seq uint64) []byte {
	b = append(b, `{"port":"`...)
	b = append(b, port...)
	b = append(b, `","seq":`...)
	return strconv.AppendUint(b, seq, 10)
}

func appendLineTail(b []byte, key, user uint32, data []byte, withData bool) []byte {
	b = appendUnlessZero(b, `,"key":`, uint64(key))
	b = appendUnlessZero(b, `,"user":`, uint64(user))
	if withData {
		b = append(b, `,"data":"`...)
		b = hex.AppendEncode(b, data)
		b = append(b, '"')
	}
	return append(b, "}\n"...)
}

// appendNeed appends what a device has to make of an expected record.
func appendNeed(b []byte, r *sim.Record, by uint64) []byte {
	if r.Need != sim.Must {
		b = append(b, `,"need":"`...)
		b = append(b, r.Need.String()...)
		b = append(b, '"')
	}
	if r.Group != 0 {
		b = append(b, `,"group":`...)
		b = strconv.AppendUint(b, uint64(r.Group), 10)
	}
	if by != 0 {
		b = append(b, `,"by":`...)
		b = strconv.AppendUint(b, by, 10)
	}
	return b
}

// ruleList is a list of rules as it stands between the brackets: "PSN-1","PSN-2".
type ruleList string

// UnmarshalJSON reads a list of strings.
func (l *ruleList) UnmarshalJSON(text []byte) error {
	var names []sim.Rule
	if err := json.Unmarshal(text, &names); err != nil {
		return err
	}
	*l = ruleList(bytes.TrimSuffix(bytes.TrimPrefix(appendRules(nil, names), []byte(rulesBegin)), []byte("]")))
	return nil
}

const rulesBegin = `,"rules":[`

// appendRules appends the rules that decided an expected record.
func appendRules(b []byte, rules []sim.Rule) []byte {
	if len(rules) == 0 {
		return b
	}
	b = append(b, rulesBegin...)
	for i, r := range rules {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), r...), '"')
	}
	return append(b, ']')
}

// parseRules reads the form that appendRules writes. A list that was seen before costs nothing.
func (r *recordReader) parseRules(p *fieldParser) {
	if !p.has(rulesBegin) {
		return
	}
	text := p.until(']')
	known, ok := r.lists[string(text)]
	if !ok {
		known = ruleList(text)
		p.ok = p.ok && listForm.Match(text)
		if r.lists == nil {
			r.lists = map[string]ruleList{}
		}
		if len(r.lists) < maxLists {
			r.lists[string(known)] = known
		}
	}
	r.rec.Rules = known
}

var listForm = regexp.MustCompile(`^"[A-Z0-9-]+"(,"[A-Z0-9-]+")*$`)

// maxLists is how many lists of rules are remembered.
const maxLists = 1024

// need is what a line says.
func (l *jsonRecord) need() (sim.Need, bool) {
	for _, n := range []sim.Need{sim.Must, sim.May, sim.OneOf} {
		if l.Need == n.String() || l.Need == "" {
			return n, true
		}
	}
	return sim.Must, false
}

func appendUnlessZero(b []byte, key string, v uint64) []byte {
	if v == 0 {
		return b
	}
	return strconv.AppendUint(append(b, key...), v, 10)
}

// maxLineBytes is the longest line that is read: a record of 256 KiB in hex.
const maxLineBytes = 2*capture.MaxFrameBytes + 1024

// recordReader reads records.jsonl.
type recordReader struct {
	name  string
	lines *bufio.Scanner
	line  uint64
	rec   jsonRecord
	data  []byte
	lists map[string]ruleList // seen before
}

func newRecordReader(r io.Reader, name string) recordReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	return recordReader{name: name, lines: lines}
}

// next reads a line; false at the end of the file or, with an error, before a line that is none.
func (r *recordReader) next() (ok bool, err error) {
	if !r.lines.Scan() {
		if err := r.lines.Err(); err != nil {
			return false, r.fail("cannot be read: " + err.Error())
		}
		return false, nil
	}
	r.line++
	line := r.lines.Bytes()
	if r.parse(line) {
		return true, nil
	}
	r.rec, r.data = jsonRecord{}, nil // not in our form, but perhaps in another
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r.rec); err != nil {
		return false, r.fail("not a record: " + err.Error())
	}
	if _, err := d.Token(); err != io.EOF {
		return false, r.fail("more than a record")
	}
	if r.data, err = hex.DecodeString(r.rec.Data); err != nil {
		return false, r.fail("data is not hex: " + err.Error())
	}
	return true, nil
}

func (r *recordReader) fail(what string) error {
	return &capture.Error{File: r.name, Offset: -1, What: "line " + strconv.FormatUint(r.line, 10) + ": " + what}
}

// parse reads the form that appendOfferLine and appendRecordLine write, which is ten times as quick as taking JSON
// apart.
func (r *recordReader) parse(line []byte) bool {
	p := fieldParser{line, true}
	p.skip(`{"port":"`)
	port := p.until('"')
	if string(port) != r.rec.Port {
		r.rec.Port = string(port)
	}
	p.skip(`,"seq":`)
	r.rec.Seq = p.number(math.MaxUint64)
	r.rec = jsonRecord{Port: r.rec.Port, Seq: r.rec.Seq}
	r.data = r.data[:0]
	if p.has(`,"after":`) {
		r.rec.After = p.number(math.MaxUint64)
		if p.has(`,"start":`) {
			r.rec.Start = p.number(math.MaxUint64)
		}
	} else {
		p.skip(`,"cause":`)
		r.rec.Cause = p.number(math.MaxUint64)
		if p.has(`,"from":"`) {
			r.rec.From = string(p.until('"'))
		}
	}
	if p.has(`,"key":`) {
		r.rec.Key = uint32(p.number(math.MaxUint32))
	}
	r.parseNeed(&p)
	r.parseRules(&p)
	if p.has(`,"user":`) {
		r.rec.User = uint32(p.number(math.MaxUint32))
	}
	if p.has(`,"data":"`) {
		var err error
		if r.data, err = hex.AppendDecode(r.data, p.until('"')); err != nil {
			return false
		}
	}
	p.skip("}")
	return p.ok && len(p.rest) == 0
}

// parseNeed reads the form that appendNeed writes.
func (r *recordReader) parseNeed(p *fieldParser) {
	switch {
	case p.has(`,"need":"may"`):
		r.rec.Need = "may"
	case p.has(`,"need":"one"`):
		r.rec.Need = "one"
	}
	if p.has(`,"group":`) {
		r.rec.Group = uint32(p.number(math.MaxUint32))
	}
	if p.has(`,"by":`) {
		r.rec.By = p.number(math.MaxUint64)
	}
}

// fieldParser takes a line from its front; ok turns false when the line is something else.
type fieldParser struct {
	rest []byte
	ok   bool
}

func (p *fieldParser) has(text string) bool {
	if len(p.rest) < len(text) || string(p.rest[:len(text)]) != text {
		return false
	}
	p.rest = p.rest[len(text):]
	return true
}

func (p *fieldParser) skip(text string) { p.ok = p.has(text) && p.ok }

func (p *fieldParser) until(end byte) (value []byte) {
	for i, v := range p.rest {
		if v == end {
			value, p.rest = p.rest[:i], p.rest[i+1:]
			return value
		}
		if v < ' ' || v > '~' || v == '\\' { // means something in JSON, or nothing
			break
		}
	}
	p.ok = false
	return nil
}

func (p *fieldParser) number(most uint64) (v uint64) {
	n := 0
	for n < len(p.rest) && '0' <= p.rest[n] && p.rest[n] <= '9' {
		v = 10*v + uint64(p.rest[n]-'0')
		n++
	}
	// 20 digits may not fit: left to encoding/json
	p.ok = p.ok && 0 < n && n < 20 && (n == 1 || p.rest[0] != '0') && v <= most
	p.rest = p.rest[n:]
	return v
}
