package timed

// Latencies in clocks and depths, of docs/predict.md, "Latencies and depths", in its order. A latency counts from the
// clock in which an entry is accepted to the one in which it is offered.
const (
	checkLatency, checkDepth     = 11, 16 // icrc_check, beats
	gateRecordLatency, gateDepth = 2, 16  // icrc_gate, records
	gateStoreLatency             = 1      // until a beat is in the store
	gateStoreBytes, gateSpare    = 8192, 4
	gateMaxBytes                 = 4352
	headerLatency, headerDepth   = 14, 16 // roce_parse, records
	payloadLastLatency           = 13     // until the last beat of a frame is done with
	payloadJoin                  = 1      // less: another beat, behind the acceptance of the next one
	payloadStoreBytes            = 8192
	payloadSpare                 = 16
	lookupLatency, lookupDepth   = 4, 8 // rx_classify, msg_tracker and mr_lookup
	headLatency, headDepth       = 7, 8 // rq_head
	verdictLatency, verdictDepth = 5, 8 // resp_psn_check
	queueLatency                 = 1    // a queue between two blocks
	inputDepth                   = 4    // the queue in front of a block
	headersDepth                 = 16
	waysDepth                    = 64
	requestsDepth                = 16 // beside a block
	issueDepth                   = 4  // rx_issue, in front of its decision and behind it
	wqesDepth                    = 16
	underWayDepth                = 32
	toldDepth                    = 8
	placesDepth                  = 64
	commandsDepth                = 4 // rx_dma, records
	payDepth                     = 2 // rx_dma, beats, twice
	writesDepth                  = 16
	dataLatency, dataDepth       = 5, 16
	acksDepth                    = 4
	cqeLatency, cqeDepth         = 4, 8
	entriesDepth                 = 128
	failedDepth                  = 8
	noticesDepth                 = 64
	steerDepth                   = 64
	dueDepth                     = 64 // hca_rx_engines and hca_rx_order, each
	replayLatency, replayDepth   = 9, 16
	wordLatency, wordDepth       = 3, 2 // a word of hca_rx for a QP: told two behind the question, and noted
	askDepth                     = 4    // read_engine and atomic_engine: queues of records
	offeredDepth                 = 2    // in front of read_engine
	lookLatency, lookDepth       = 2, 4 // at a beat that memory gave
	moveLatency, moveDepth       = 6, 16
	valueLatency, valueDepth     = 2, 8 // atomic_engine, from its decision to its write
	outcomesDepth                = 8
	ackPayloadDepth              = 4
	ackEdgeDepth                 = 4 // ack_gen, records that wait
	ackBeatLatency               = 3 // from the head of its input on
	ackBeats, ackUnderWay        = 16, 4
	insertLatency, insertDepth   = 16, 32 // icrc_insert, beats
	insertJoin                   = 1      // less: a beat that is not a last one, behind the acceptance of the next
	openLatency                  = 3      // behind the clocks in which the memories are made zero
)

// Size is the latency of a queue in clocks and its depth in entries: what an entry of Config.Queues has.
type Size struct{ Latency, Depth int }

// Queues are the sizes of all queues and stores by their names, as docs/predict.md has them. The latency of a store is
// how long the last beat of a frame takes until it is stored, its depth is in bytes. The depth of ack_gen-beats is how
// many may wait while one more goes on its way.
func Queues() map[string]Size {
	return map[string]Size{
		"icrc_check":                     {checkLatency, checkDepth},
		"icrc_gate-records":              {gateRecordLatency, gateDepth},
		"icrc_gate-store":                {gateStoreLatency, gateStoreBytes},
		"roce_parse-records":             {headerLatency, headerDepth},
		"roce_parse-store":               {payloadLastLatency, payloadStoreBytes},
		"rx_classify":                    {lookupLatency, lookupDepth},
		"rx_issue-input":                 {queueLatency, issueDepth},
		"rx_issue":                       {queueLatency, issueDepth},
		"under-way":                      {queueLatency, underWayDepth},
		"msg_tracker":                    {lookupLatency, lookupDepth},
		"cnp_gen-input":                  {queueLatency, inputDepth},
		"cnp_gen":                        {lookupLatency, lookupDepth},
		"notices":                        {queueLatency, noticesDepth},
		"rq_head":                        {headLatency, headDepth},
		"wqes":                           {queueLatency, wqesDepth},
		"mr_lookup":                      {lookupLatency, lookupDepth},
		"resp_psn_check":                 {verdictLatency, verdictDepth},
		"ack_gen-records":                {queueLatency, ackEdgeDepth},
		"ack_gen-beats":                  {ackBeatLatency, ackBeats - ackUnderWay},
		"icrc_insert":                    {insertLatency, insertDepth},
		"operations":                     {queueLatency, inputDepth},
		"rx_classify-input":              {queueLatency, inputDepth},
		"msg_tracker-input":              {queueLatency, inputDepth},
		"rq_head-input":                  {queueLatency, inputDepth},
		"mr_lookup-input":                {queueLatency, inputDepth},
		"resp_psn_check-input":           {queueLatency, inputDepth},
		"answers-due":                    {queueLatency, dueDepth},
		"replay_fifo-input":              {queueLatency, inputDepth},
		"replay_fifo":                    {replayLatency, replayDepth},
		"path-mtu":                       {wordLatency, wordDepth},
		"read_engine-commands":           {queueLatency, askDepth},
		"read_engine-pieces":             {queueLatency, askDepth},
		"s_rd":                           {queueLatency, offeredDepth},
		"read_engine-frames":             {lookLatency, lookDepth},
		"read_engine-headers":            {queueLatency, askDepth},
		"read_engine-beats":              {moveLatency, moveDepth},
		"read_engine-records":            {queueLatency, askDepth},
		"atomic_engine-commands":         {queueLatency, askDepth},
		"atomic_engine-reads":            {queueLatency, askDepth},
		"atomic_engine-data":             {queueLatency, askDepth},
		"atomic_engine-writes":           {valueLatency, valueDepth},
		"atomic_engine-acknowledgements": {queueLatency, askDepth},
		"atomic_engine-results":          {queueLatency, askDepth},
		"turns":                          {queueLatency, dueDepth},
		"dead":                           {wordLatency, 1},
		"m_end":                          {queueLatency, askDepth},
		"outcomes":                       {queueLatency, outcomesDepth},
		"ack_gen-payload":                {queueLatency, ackPayloadDepth},
		"ack_gen-input":                  {queueLatency, inputDepth},
		"headers":                        {queueLatency, headersDepth},
		"ways":                           {queueLatency, waysDepth},
		"requests-issue":                 {queueLatency, requestsDepth},
		"requests-message":               {queueLatency, requestsDepth},
		"requests-key":                   {queueLatency, requestsDepth},
		"verdicts":                       {queueLatency, underWayDepth},
		"m_rec":                          {queueLatency, toldDepth},
		"places":                         {queueLatency, placesDepth},
		"whose-payload":                  {queueLatency, steerDepth},
		"rx_dma-records":                 {queueLatency, commandsDepth},
		"rx_dma-beats":                   {queueLatency, payDepth},
		"rx_dma-input":                   {queueLatency, payDepth},
		"rx_dma-entries":                 {queueLatency, entriesDepth},
		"rx_dma-writes":                  {queueLatency, writesDepth},
		"rx_dma-data":                    {dataLatency, dataDepth},
		"rx_dma-acknowledgements":        {queueLatency, acksDepth},
		"rx_dma":                         {cqeLatency, cqeDepth},
		"failed":                         {queueLatency, failedDepth},
	}
}
