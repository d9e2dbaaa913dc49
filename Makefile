# hcacosim. `make run` and `make test` install what is missing, build, and do their job; `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/sh
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
TRIMPATH := -trimpath
export HCACOSIM_CAPTURES ?= $(abspath ../shared/captures)

.PHONY: help build run test test-long regress coverage faults check-tables lint live bench bench-check synth netlist formal export predictor fuzz explore clean setup-run setup-test setup-long setup-bench setup-synth setup-export setup-formal

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## bin/cosim and bin/vecgen
	@go build $(TRIMPATH) -o bin/ ./cmd/cosim ./cmd/vecgen

run: setup-run build ## real captures and 20,000 generated packets through the model and the RTL
	@bin/cosim run --dut icrc_check --known --scenario mix --seed 1 --count 20000

# Memory for time: a search that keeps many states takes two thirds.
test test-long lint: export GOGC = 400
# One set of flags for bin/ and the tests: with two, every package is compiled twice. lint has run vet over the tests.
test: TRIMPATH =
test: setup-test build lint ## all tests, linters first; some 13 minutes on two cores, 20 the first time, when 88 simulators are built
	go test -vet=off -timeout 60m ./...

test-long: setup-long build ## the tests that take a minute and more: foreign designs and examples, a block added, exports, every misbehaviour, the RTL's lint at every size
	go run ./rtl/lint
	go test -timeout 90m ./cmd/cosim -run 'Blocks|Foreign|Examples|AddingABlock|Export|Misbehaviour|Tutorial|Bench|LateDevices|LivePredictor|Bundle|SpecRepeats|PredictCommand' -long -slow
	go test ./cocosim/verilated -run Tuned -long

regress: setup-run build ## every device, scenario, width and many seeds, and 10^6 records of each; writes docs/regression.md
	@bin/cosim regress --write docs/regression.md

coverage: setup-run build ## lines and branches of the RTL that the regression reaches; writes docs/coverage.md
	@bin/cosim regress --seeds 1 --long 0 --most-packets 3000 --coverage docs/coverage.md

faults: setup-test build ## every deliberate fault, one at a time, must be found, also those of a closed loop; writes docs/faults.md
	go test ./cmd/cosim -run TestFaultsAreFound -faults -timeout 6h
	@bin/cosim link --a hca_tx --faults docs/loop-faults.yaml --count 3000

check-tables: setup-test ## cosim check on imperfect and on wrong captures: the whole tables in docs, imperfect ones under four seeds
	go test ./cocosim/flow -run 'ImperfectCaptures|Thinned|WrongCaptures|WrongByPlace' -imperfect -seeds 4 -timeout 2h

lint: setup-test ## gofmt, go vet, staticcheck, sizes of files, functions and lines, verilator --lint-only -Wall at two sizes
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	go run ./cmd/lint
	go run ./rtl/lint -few

live: build ## a Linux guest with Soft-RoCE in QEMU against the model, then RTL, both ways; without QEMU it says that it was skipped
	@cocosim/live/guest/live.sh bin/cosim
	@cocosim/live/guest/live.sh bin/cosim hca_rx+hca_tx
	@cocosim/live/guest/live.sh bin/cosim hca_top

bench: setup-bench build ## ratios measured side by side in one run
	@bin/cosim bench --scapy vectors/bench_scapy.py

bench-check: setup-test build ## cosim check beside tshark on captures of 10^7 packets; 3 GB for a while
	@bin/cosim bench-check $(addprefix $(HCACOSIM_CAPTURES)/,rc_big_window.b.pcap rc_write_sizes.b.pcap)

synth: setup-synth ## Yosys: LUTs, registers and longest path of every block and width
	rtl/synth/synth.sh

predictor: ## bin/predictor: the golden model as a C library, its header and its SystemVerilog package (docs/predictor.md)
	@go build -trimpath -buildmode=c-shared -o bin/predictor/libhcacosim.so ./cmd/libhcacosim
	@rm bin/predictor/libhcacosim.h
	@cp cmd/libhcacosim/hcacosim.h cmd/libhcacosim/hcacosim_pkg.sv bin/predictor/

export: setup-export build ## every block as Verilog-2001 in build/export, parsed and run by Icarus Verilog; a FuseSoC core each
	@for dut in $$(bin/cosim duts | awk 'NR > 1 {print $$1}'); do bin/cosim export --dut $$dut --smallest --check -o build/export/$$dut || [ $$? = 6 ] || exit 1; done
	@for dut in $$(bin/cosim duts | awk 'NR > 1 {print $$1}'); do bin/cosim export --dut $$dut --core --root ../../rtl -o build/export || exit 1; done

netlist: setup-run setup-synth build ## what Yosys makes of every block and size, and the gates of the smallest, run against the model
	@bin/cosim regress --flavour word --seeds 1 --long 0 --most-packets 3000 >/dev/null
	@bin/cosim regress --flavour gate --seeds 1 --long 0 --most-packets 3000 --smallest >/dev/null

formal: setup-formal ## Yosys: proofs of the RTL, each with a planted fault that it must reject; it prints how long it took
	@rtl/formal/formal.sh

fuzz: ## every fuzz target for a minute
	@for p in $$(go list ./...); do for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do go test -run '^$$' -fuzz "^$$f$$" -fuzztime 1m -fuzzminimizetime 2s $$p || exit 1; done; done

explore: ## every state of the transport's worlds, that every fair run ends, every edge on RTL, random walks of 10^7 steps; half an hour
	nice -n 10 go test ./model/roce -run 'EveryState|Immortal|RandomWalk|HalfOfThePSNs|Components|WorldsOnRTL|WorldsOnTop|ReplayFindsFaults' -explore -walk 10000000 -v -timeout 3h

clean: ## what the build made here
	rm -rf bin build

setup-run:
	@verilator/setup.sh verilator g++ ccache
setup-test:
	@verilator/setup.sh verilator g++ ccache tshark scapy yosys iverilog
setup-bench: setup-test
setup-long: setup-test
	@verilator/setup.sh ghdl
setup-synth:
	@verilator/setup.sh yosys
setup-export:
	@verilator/setup.sh yosys iverilog
setup-formal:
	@verilator/setup.sh yosys
