"""A second implementation of Swift (FAL-C3, FAL-C6 to FAL-C13, mode peer), written from the rules and sharing no code
with the project's, and the traces that it makes, in the format of the oracle's.

    python3 make.py [FOLDER [ROWS]]     writes swift_*.csv and .cfg; by default 80 rows each, beside it
    python3 make.py check FOLDER        answers the rows of traces there, and says which differ
"""
import glob
import math
import os
import random
import re
import sys

M = (1 << 24) - 1
DEFAULT = """max_fabric_congestion_window: 256 min_fabric_congestion_window: 0.01 fabric_additive_increment_factor: 1
fabric_multiplicative_decrease_factor: 0.8 max_fabric_multiplicative_decrease: 0.5 max_nic_congestion_window: 256
min_nic_congestion_window: 1 nic_additive_increment_factor: 1 nic_multiplicative_decrease_factor: 0.8
max_nic_multiplicative_decrease: 0.5 target_rx_buffer_level: 15 rtt_smoothing_alpha: 0.75 delay_smoothing_alpha: 0
topo_scaling_per_hop: 8 min_retransmit_timeout: 1907 retransmit_timeout_scalar: 2 retransmit_limit: 3
min_flow_scaling_window: 0.1 max_flow_scaling_window: 256 max_flow_scaling: 763 calc_rtt_smooth: false
ipg_time_scalar: 0.256 ipg_bits: 16 randomize_path: false plb_target_rtt_multiplier: 1.01 plb_congestion_threshold: 0.5
plb_attempt_threshold: 5 max_decrease_on_eack_nack_drop: false fabric_base_delay: 191"""
INPUTS = ("i now type t1 t2 t3 t4 retx_count retx_reason nack_code hops rxbuf fcwnd ipg ncwnd rto acked eack eack_drop "
          "delay_sel fmark nmark ndir delay_state rtt_state cc_opaque plb_in ncfrac_in target_delay").split()
OUTPUTS = ("o_rand o_fcwnd o_ipg o_ncwnd o_rto o_fmark o_nmark o_ndir o_delay_state o_rtt_state plb_out "
           "ncfrac_out").split()


def config(text):
    words = {k: v for k, v in re.findall(r"(\w+)[:=]\s*(\S+)", text.replace("cfg:", "", 1))}
    return {k: v == "true" if v in ("true", "false") else float(v) for k, v in words.items()}


def scaling(c):
    least, most = math.sqrt(c["min_flow_scaling_window"]), math.sqrt(c["max_flow_scaling_window"])
    a = c["max_flow_scaling"] / (1 / least - 1 / most)
    return a, -a / most


def half_up(x):
    return math.floor(x + 0.5)


def clamp(x, least, most):
    return min(max(x, least), most)


def target(c, r, fcwnd):
    a, b = scaling(c)
    return (int(c["fabric_base_delay"]) + clamp(int(a / math.sqrt(fcwnd) + b), 0, int(c["max_flow_scaling"])) +
            int(c["topo_scaling_per_hop"]) * r["hops"])


def fabric(c, r, fcwnd, delay, aim, rtt):
    elapsed = (r["now"] - r["fmark"]) & M >= rtt
    if c["max_decrease_on_eack_nack_drop"] and (r["eack"] and r["eack_drop"] or r["type"] == 1 and r["nack_code"] == 5):
        return fcwnd * (1 - c["max_fabric_multiplicative_decrease"]) if elapsed else fcwnd
    if delay < aim:
        more = c["fabric_additive_increment_factor"] * r["acked"]
        return fcwnd + (more / fcwnd if fcwnd >= 1 else more)
    if not elapsed:
        return fcwnd
    less = (delay - aim) / delay * c["fabric_multiplicative_decrease_factor"]
    return fcwnd * (1 - min(c["max_fabric_multiplicative_decrease"], less))


def retransmitted(c, r, fcwnd):
    if (r["now"] - r["fmark"]) & M < r["rtt_state"]:
        return fcwnd
    if r["retx_count"] >= c["retransmit_limit"]:
        return c["min_fabric_congestion_window"]
    return fcwnd * (1 - c["max_fabric_multiplicative_decrease"]) if r["retx_count"] == 1 else fcwnd


def nic(c, r, ncwnd, rtt):
    elapsed = (r["now"] - r["nmark"]) & M >= rtt
    level, aim = r["rxbuf"], c["target_rx_buffer_level"]
    if r["type"] == 1 and r["nack_code"] == 1:
        return ncwnd * (1 - c["max_nic_multiplicative_decrease"]) if r["ndir"] == 1 or elapsed else ncwnd
    if level < aim:
        return ncwnd + c["nic_additive_increment_factor"] if r["ndir"] == 0 or elapsed else ncwnd
    if not elapsed:
        return ncwnd
    less = (level - aim) / level * c["nic_multiplicative_decrease_factor"]
    return ncwnd * (1 - min(c["max_nic_multiplicative_decrease"], less))


def marker(now, was, rtt):
    return (now - rtt) & M if (now - was) & M > rtt else was


def plb(c, r, delay, aim, size):
    attempts, acked, bad = r["plb_in"] >> 20, r["plb_in"] >> 10 & 1023, r["plb_in"] & 1023
    again = 0
    if c["randomize_path"] and r["type"] == 0:
        acked += r["acked"]
        bad += r["acked"] if delay > aim * c["plb_target_rtt_multiplier"] else 0
        if acked >= size:
            attempts = attempts + 1 if bad >= acked * c["plb_congestion_threshold"] else 0
            acked = bad = 0
            if attempts >= c["plb_attempt_threshold"]:
                again, attempts = 1, 0
    if c["randomize_path"] and r["cc_opaque"] & 1:
        again = 1
    return again, attempts << 20 | (acked & 1023) << 10 | bad & 1023


def answer(c, r):
    now, old, held = r["now"], r["fcwnd"] / 1024, r["ncwnd"] + r["ncfrac_in"] / 1024
    rtt = (r["t4"] - r["t1"]) & M
    inside = (r["t3"] - r["t2"]) & M
    delay = [rtt, (rtt - inside) & M, (r["t2"] - r["t1"]) & M, (r["t4"] - r["t3"]) & M][r["delay_sel"]]
    aim = target(c, r, old)
    rtts, delays, used, new = r["rtt_state"], r["delay_state"], r["rtt_state"], held
    if r["type"] == 2:
        f = retransmitted(c, r, old)
    else:
        a, b = c["rtt_smoothing_alpha"], c["delay_smoothing_alpha"]
        rtts, delays = int(rtts * a + rtt * (1 - a)), int(delays * b + delay * (1 - b))
        used = rtts if c["calc_rtt_smooth"] else rtt
        f = fabric(c, r, old, delays, aim, rtt)
        new = clamp(nic(c, r, held, rtt), c["min_nic_congestion_window"], c["max_nic_congestion_window"])
    f = clamp(f, c["min_fabric_congestion_window"], c["max_fabric_congestion_window"])
    gap = 0
    if f < 1:
        gap = min(half_up((used / f - used) * c["ipg_time_scalar"]), 2 ** int(c["ipg_bits"]) - 1)
    rto = min(int(rtts * c["retransmit_timeout_scalar"]) + gap / c["ipg_time_scalar"], M)
    nmark, end = r["nmark"], new in (c["min_nic_congestion_window"], c["max_nic_congestion_window"])
    if r["type"] != 2:
        nmark = now if new != held or end else marker(now, nmark, used)
    again, counters = plb(c, r, delays, aim, min(old, held))
    return dict(
        target_delay=aim, o_rand=again, o_fcwnd=half_up(f * 1024), o_ipg=gap, o_ncwnd=half_up(new * 1024) >> 10,
        o_rto=int(max(rto, c["min_retransmit_timeout"])), o_nmark=nmark, o_delay_state=delays, o_rtt_state=rtts,
        o_fmark=now if f < old or f == c["min_fabric_congestion_window"] else marker(now, r["fmark"], used),
        o_ndir=r["ndir"] if new == held else int(new > held), plb_out=counters, ncfrac_out=half_up(new * 1024) & 1023)


def check(folder):
    for path in sorted(glob.glob(folder + "/swift*.csv")):
        c = config(open(path[:-3] + "cfg").read())
        lines = [[x for x in re.split(r"[,| \r\n]+", l) if x] for l in open(path)]
        wrong = 0
        for l in lines[1:]:
            r = dict(zip(lines[0], map(int, l)))
            wrong += any(r[k] != v for k, v in answer(c, r).items())
        print(path, len(lines) - 1, "rows,", wrong, "differ")


def event(c, rng, i, counters):
    rtt = rng.choice([rng.randrange(1, 300), rng.randrange(200, 3000), rng.randrange(1, 60000)])
    now = rng.choice([rng.randrange(1 << 24), rng.randrange(4000), M - rng.randrange(4000)])
    inner = sorted(rng.randrange(rtt + 1) for _ in "23")
    t4 = (now - rng.randrange(30)) & M
    t1 = (t4 - rtt) & M
    kind = rng.choice([0, 0, 0, 1, 2])
    least = max(1, half_up(c["min_fabric_congestion_window"] * 1024))
    most = int(c["max_fabric_congestion_window"] * 1024)
    fcwnd = rng.choice([rng.randrange(least, most + 1), rng.randrange(least, 4097), 1023, 1024, 1025, least, most,
                        most - 1])
    since = [0, rtt - 1, rtt, rtt + 1, rng.randrange(60000), rng.randrange(1 << 24)]
    eack = int(kind == 0 and rng.randrange(2))
    return dict(
        i=i, now=now, type=kind, t1=t1, t2=(t1 + inner[0]) & M, t3=(t1 + inner[1]) & M, t4=t4,
        retx_count=rng.randrange(1, 8) if kind == 2 else 0, retx_reason=rng.randrange(2) if kind == 2 else 0,
        nack_code=rng.choice([1, 2]) if kind == 1 else 0, hops=rng.randrange(16), rxbuf=rng.randrange(32),
        fcwnd=clamp(fcwnd, least, most), ipg=rng.randrange(1000), rto=rng.randrange(100000),
        ncwnd=rng.choice([rng.randrange(1, 257), 1, 2, 255, 256]), acked=rng.choice([rng.randrange(64), 0, 1, 1023]),
        eack=eack, eack_drop=int(eack and rng.randrange(2)), delay_sel=rng.randrange(4), ndir=rng.randrange(2),
        fmark=(now - rng.choice(since)) & M, nmark=(now - rng.choice(since)) & M, delay_state=rng.randrange(3000),
        rtt_state=rng.choice([rng.randrange(1, 3000), rtt]), cc_opaque=rng.randrange(4) if c["randomize_path"] else 0,
        plb_in=counters, ncfrac_in=rng.randrange(1024), target_delay=0)


def make(folder, rows, name, seed, **change):
    text = DEFAULT
    for k, v in change.items():
        text = re.sub(r"\b%s: \S+" % k, "%s: %s" % (k, v), text)
    c, rng, counters = config(text), random.Random(seed), 0
    lines = [",".join(INPUTS) + ",| " + ",".join(OUTPUTS)]
    for i in range(rows):
        r = event(c, rng, i, counters)
        out = answer(c, r)
        r["target_delay"] = out["target_delay"]
        counters = out["plb_out"] if c["randomize_path"] else 0
        lines.append(",".join(str(r[k]) for k in INPUTS) + ",|," + ",".join(str(out[k]) for k in OUTPUTS))
    with open(os.path.join(folder, "swift_%s.csv" % name), "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "swift_%s.cfg" % name), "w") as f:
        f.write("cfg: %s alpha=%r beta=%r\n" % ((" ".join(text.split()),) + scaling(c)))


def main(folder=os.path.dirname(os.path.abspath(__file__)), rows="80"):
    n = int(rows)
    make(folder, n, "defaults", 1)
    make(folder, n, "smooth", 2, calc_rtt_smooth="true")
    make(folder, n, "plb", 3, randomize_path="true", plb_attempt_threshold=3, plb_congestion_threshold=0.25)
    make(folder, n, "drop", 4, max_decrease_on_eack_nack_drop="true")
    make(folder, n, "delays", 5, rtt_smoothing_alpha=0.5, delay_smoothing_alpha=0.875, topo_scaling_per_hop=31,
         fabric_base_delay=3, target_rx_buffer_level=7, retransmit_timeout_scalar=3.5, min_retransmit_timeout=11,
         retransmit_limit=2, ipg_bits=12, max_flow_scaling=90, min_flow_scaling_window=0.5, max_flow_scaling_window=64)
    make(folder, n, "windows", 6, max_fabric_congestion_window=64, min_fabric_congestion_window=0.25,
         fabric_additive_increment_factor=0.5, fabric_multiplicative_decrease_factor=0.4,
         max_fabric_multiplicative_decrease=0.75, max_nic_congestion_window=128, min_nic_congestion_window=2,
         nic_additive_increment_factor=0.25, nic_multiplicative_decrease_factor=0.3,
         max_nic_multiplicative_decrease=0.25)


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        check(sys.argv[2])
    else:
        main(*sys.argv[1:])
