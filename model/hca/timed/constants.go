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
	payloadJoinLatency           = 12     // a beat, behind the acceptance of the next one
	payloadStoreBytes            = 8192
	payloadSpare                 = 16
	lookupLatency, lookupDepth   = 4, 8 // rx_classify and mr_lookup
	verdictLatency, verdictDepth = 5, 8 // resp_psn_check
	queueLatency                 = 1    // a queue between two blocks
	inputDepth                   = 4    // the queue in front of a block
	headersDepth                 = 16
	waysDepth                    = 64
	asksDepth                    = 16
	toldDepth                    = 8
	placesDepth                  = 64
	payDepth                     = 2
	ackEdgeDepth                 = 4 // ack_gen, records that wait
	ackBeatLatency               = 3 // from the head of its input on
	ackBeats, ackUnderWay        = 16, 4
	insertLatency, insertDepth   = 16, 32 // icrc_insert, beats
	insertJoinLatency            = 15     // a beat that is not a last one, behind the acceptance of the next
	openLatency                  = 3      // behind the NumQps clocks in which the memories are made zero
)
