package sim

// Kind is how a port carries its records.
type Kind uint8

const (
	// Axis is an AXI-Stream port: a record is a packet, its sideband is tuser.
	Axis Kind = iota
	// Fields is a valid/ready port of one beat: a record is a bit layout, packed from bit 0 of byte 0 up.
	Fields
)

// PortSpec is a port of a stage. Its index in StageSpec.Ports is the Port of its records.
type PortSpec struct {
	Name  string
	Input bool
	Kind  Kind
	// Bits is the width of a record of Fields.
	Bits int
	// UserBits is the width of the sideband, 0 where there is none.
	UserBits int
	// Keyed says that records of different Key come in no order.
	Keyed bool
}

// StageSpec says what a stage is called, what its ports are and how to make one.
type StageSpec struct {
	Name    string
	Summary string
	Ports   []PortSpec
	// PortsAt are the ports where a parameter sets the width of a sideband, nil where none does.
	PortsAt func(Settings) []PortSpec
	// New makes a stage with the settings of its device.
	New func(Settings) Stage
	// Checker makes a judge of the device's outputs, where their order or time is the device's choice; nil where a Stage
	// says it all. A stage with one still has New: it shows one choice that is allowed.
	Checker func(Settings) Checker
	// Lenient makes a stage that gives everything a device may give, with its Need; nil where the rules leave no choice.
	// New then makes one that gives what one device gives that is allowed.
	Lenient func(Settings) Stage
	// ByTime: what comes out depends on the cycles in which inputs were accepted, and not on their order alone. Vectors
	// that are played at another pace do not tell what is right.
	ByTime bool
	// Settings are the parameters and configuration inputs that the stage knows.
	Settings []Setting
	// Fits says why settings do not go together, as the block's document has it, or nothing; nil where all do.
	Fits func(Settings) string
	// Refuses says why settings are none that the block's document allows, or nothing; nil where it allows all.
	Refuses func(Settings) string
	// Behind says which output waits until records of others were handed over; nil where none does.
	Behind *Behind
	// Waits says which input waits until what it led to was handed over; nil where none does.
	Waits *Waits
}

// At is the stage of a device with such settings.
func (s StageSpec) At(settings Settings) StageSpec {
	if s.PortsAt != nil {
		s.Ports = s.PortsAt(settings)
	}
	return s
}

// Behind is an order across ports: no record of Port leaves before as many of each port of Of as its Record.Behind
// says.
type Behind struct {
	Port Port
	Of   []Port
	Rule Rule // that one is broken by which leaves sooner
}

// Waits is an order across ports: no record of Port is taken before what those before it led to was handed over at Of.
type Waits struct {
	Port Port
	Of   []Port
}

// Stage is one block of the pipeline as the golden model has it: state and input decide the output.
type Stage interface {
	// Reset returns the stage to its state after reset.
	Reset()
	// Advance takes the input records (sorted by End, with accepted cycles), runs to cycle `to` and appends what came
	// out to out, sorted by End. The cycles of an output are those of an idle, unstalled block. Data of an output may
	// alias Data of its input.
	Advance(to uint64, in, out []Record) []Record
}
