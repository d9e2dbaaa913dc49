package hca

// Kind is how a port carries its records.
type Kind uint8

const (
	// Axis is an AXI-Stream port: a record is a packet, its sideband is tuser.
	Axis Kind = iota
	// Fields is a valid/ready port of one beat: a record is a bit layout, packed from bit 0 of byte 0 up.
	Fields
)

// PortSpec is a port of a stage. Its index in StageSpec.Ports is the sim.Port of its records.
type PortSpec struct {
	Name  string
	Input bool
	Kind  Kind
	// UserBits is the width of the sideband, 0 where there is none.
	UserBits int
}

// StageSpec says what a stage is called, what its ports are and how to make one.
type StageSpec struct {
	Name    string
	Summary string
	Ports   []PortSpec
	// New makes a stage with the settings of its device.
	New func(Settings) Stage
	// Checker makes a judge of the device's outputs, where their order or time is the device's choice; nil where a Stage
	// says it all. A stage with one still has New: it shows one choice that is allowed.
	Checker func(Settings) Checker
}

// Stages lists every stage in the order of the pipeline.
func Stages() []StageSpec { return stages }

// Lookup finds a stage by name.
func Lookup(name string) (StageSpec, bool) {
	for _, s := range stages {
		if s.Name == name {
			return s, true
		}
	}
	return StageSpec{}, false
}

var stages = []StageSpec{icrcCheckSpec, icrcInsertSpec, vcrcCheckSpec, psnWindowSpec,
	roceParseSpec, reqAckCheckSpec,
	respPSNCheckSpec,
	retxTimerSpec,
}
