"use strict";
// The page's script, first part: what draws, and PSN over time. Text is only ever set as text.
const SVG = "http://www.w3.org/2000/svg";
const PAGE = 150; // rungs at a time
const KEEP = 3;   // plain rungs shown on either side of an interesting one
const PLAIN = new Set([0, 1, 9]);
const LOST = 4, BROKEN = 7, AGAIN = 2;
const RING = 1 << 24;

const element = (name, attributes, text) => {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  return e;
};
const draw = (parent, name, attributes, text) => {
  const e = document.createElementNS(SVG, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
};
const hex = (psn) => psn.toString(16).padStart(6, "0");
const cut = (text, width, size) => {
  const most = Math.max(4, Math.floor(width / size));
  return text.length > most ? text.slice(0, most - 1) + "\u2026" : text;
};

// Plot draws the PSNs of a flow over time. It is the part of Ladder that knows of no filter and no page.
class Plot {
  time(at) {
    if (this.cycles) return String(at);
    if (Math.abs(at) >= 1e9) return (at / 1e9).toFixed(6) + " s";
    if (Math.abs(at) >= 1e6) return (at / 1e6).toFixed(3) + " ms";
    return (at / 1e3).toFixed(3) + " \u00b5s";
  }

  // flowOfPlot is the flow that is plotted: the one chosen, or the one with most events.
  flowOfPlot() {
    if (this.filter.flow >= 0) return this.filter.flow;
    const count = new Map();
    for (const e of this.shown) {
      if (e.psn >= 0) count.set(e.flow, (count.get(e.flow) || 0) + (e.kind === BROKEN ? 1000 : 1));
    }
    let best = 0;
    for (const [flow, n] of count) if (n > (count.get(best) || 0)) best = flow;
    return best;
  }

  // points are the events of a flow with PSNs unwrapped around the first.
  points(flow) {
    const out = [];
    let last = -1, base = 0;
    for (const e of this.shown) {
      if (e.flow !== flow || e.psn < 0) continue;
      if (last < 0) base = e.psn;
      else base += ((e.psn - last + RING / 2 + RING) % RING) - RING / 2;
      last = e.psn;
      out.push({ e, psn: base });
    }
    return out;
  }

  renderPlot() {
    const flow = this.flowOfPlot();
    const all = this.points(flow);
    this.plot.replaceChildren();
    if (all.length === 0) {
      this.plot.append(element("p", { class: "dim" }, "no PSN among what is shown"));
      return;
    }
    let low = Infinity, high = -Infinity;
    for (const p of all) { low = Math.min(low, p.psn); high = Math.max(high, p.psn); }
    const box = { left: 62, top: 10, right: this.width - 8, bottom: 240 };
    const from = all[0].e.at, to = Math.max(from + 1, all[all.length - 1].e.at);
    high = Math.max(high, low + 4);
    const x = (at) => box.left + (at - from) / (to - from) * (box.right - box.left);
    const y = (psn) => box.bottom - (psn - low) / (high - low) * (box.bottom - box.top);
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${this.width} 270`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "PSN over time of " + (this.data.flows[flow] || "all"));
    if (!this.data.sides) this.window(svg, all, x, y);
    this.axes(svg, box, from, to, low, high, x, y);
    this.timers(svg, all, x, box);
    this.marks(svg, all, x, y);
    this.plot.append(svg, this.legend(all, flow));
    this.brush(svg, box, from, to);
  }

  axes(svg, box, from, to, low, high, x, y) {
    draw(svg, "path", { class: "axis", fill: "none", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` });
    const wide = this.width < 600 ? 2 : 5;
    for (let i = 0; i <= wide; i++) {
      const at = from + (to - from) * i / wide;
      const anchor = i === 0 ? "start" : i === wide ? "end" : "middle";
      const text = this.time(Math.round(at));
      draw(svg, "text", { x: x(at), y: box.bottom + 18, "text-anchor": anchor, class: "dim" }, text);
    }
    for (let i = 0; i <= 4; i++) {
      const psn = Math.round(low + (high - low) * i / 4);
      draw(svg, "text", { x: box.left - 6, y: y(psn) + 4, "text-anchor": "end", class: "dim" },
        hex(((psn % RING) + RING) % RING));
    }
  }

  // window is the band from the oldest PSN that is not acknowledged to the newest that was sent.
  window(svg, all, x, y) {
    let una = null, top = null, d = "", steps = [];
    for (const p of all) {
      const to = p.e.kind === 5 || p.e.kind === 6 ? p.psn : p.psn + 1; // a NAK acknowledges what is before it
      if (p.e.back) una = una === null ? to : Math.max(una, to);
      else top = top === null ? p.psn + 1 : Math.max(top, p.psn + 1);
      if (una === null) una = p.psn;
      if (top === null) top = p.psn;
      const last = steps[steps.length - 1];
      if (!last || x(p.e.at) - last.x >= 1) steps.push({ x: x(p.e.at), una, top: Math.max(top, una) });
      else { last.una = una; last.top = Math.max(top, una); }
    }
    steps.forEach((s, i) => {
      d += (i ? "H" + s.x.toFixed(1) + "V" : "M" + s.x.toFixed(1) + " ") + y(s.una).toFixed(1);
    });
    let band = d;
    for (let i = steps.length - 1; i >= 0; i--) {
      band += (i === steps.length - 1 ? "V" : "H" + steps[i].x.toFixed(1) + "V") + y(steps[i].top).toFixed(1);
    }
    draw(svg, "path", { class: "band", d: band + "Z" });
    draw(svg, "path", { class: "una", d });
  }

  // timers draws when a timer ran out: at the first packet that was sent again for it.
  timers(svg, all, x, box) {
    let burst = "";
    for (const p of all) {
      if (p.e.back) continue;
      const cause = p.e.kind === AGAIN && /timeout|RNR/.test(p.e.cause) ? p.e.cause : "";
      if (cause && cause !== burst) {
        const line = draw(svg, "line", { class: "timer", x1: x(p.e.at), x2: x(p.e.at), y1: box.top, y2: box.bottom });
        draw(line, "title", {}, "timer: " + cause + " at " + this.time(p.e.at));
      }
      burst = cause;
    }
  }

  // marks draws the points, of those at one place the most interesting.
  marks(svg, all, x, y) {
    const cells = new Map();
    for (const p of all) {
      const key = Math.round(x(p.e.at) / 2) * 1000 + Math.round(y(p.psn) / 2);
      const old = cells.get(key);
      if (!old || PLAIN.has(old.e.kind) && !PLAIN.has(p.e.kind)) cells.set(key, p);
    }
    for (const p of cells.values()) {
      const mark = this.mark(svg, p.e.kind, x(p.e.at), y(p.psn));
      mark.dataset.event = p.e.i;
      draw(mark, "title", {}, this.whole(p.e));
      mark.addEventListener("click", () => this.show(p.e.i));
    }
  }

  mark(svg, kind, x, y) {
    const css = "k" + kind;
    const shapes = {
      2: `M${x} ${y - 4}l4 4l-4 4l-4 -4z`, 3: `M${x} ${y - 4}l4 4l-4 4l-4 -4z`, 4: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`,
      5: `M${x - 5} ${y + 4}h10l-5 -9z`, 6: `M${x - 5} ${y - 4}h10l-5 9z`, 7: `M${x - 4} ${y - 4}h8v8h-8z`,
      8: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`,
    };
    if (shapes[kind]) return draw(svg, "path", { class: "arrow " + css, d: shapes[kind] });
    return draw(svg, "circle", { class: css, cx: x, cy: y, r: 2 });
  }

  legend(all, flow) {
    const legend = element("div", { class: "legend" });
    legend.append(element("span", {}, this.data.flows[flow] || ""));
    for (const k of [...new Set(all.map((p) => p.e.kind))].sort((a, b) => a - b)) {
      const item = element("span");
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 16 12");
      svg.setAttribute("aria-hidden", "true");
      this.mark(svg, k, 8, 6);
      item.append(svg, this.data.kinds[k]);
      legend.append(item);
    }
    const words = "band: the window, from the oldest not acknowledged (line) to the newest sent; " +
      "dashed: a timer ran out";
    if (!this.data.sides) legend.append(element("span", {}, words));
    return legend;
  }

  // brush lets a range of time be chosen in the plot by dragging.
  brush(svg, box, from, to) {
    const at = (event) => {
      const r = svg.getBoundingClientRect();
      const x = (event.clientX - r.left) / r.width * this.width;
      return from + Math.min(1, Math.max(0, (x - box.left) / (box.right - box.left))) * (to - from);
    };
    let start = null;
    svg.addEventListener("pointerdown", (event) => { start = { at: at(event), x: event.clientX }; });
    svg.addEventListener("pointerup", (event) => {
      if (start === null || Math.abs(event.clientX - start.x) < 8) { start = null; return; }
      const range = [start.at, at(event)].sort((a, b) => a - b);
      start = null;
      const scale = this.cycles ? 1 : 1e6;
      [this.from.value, this.to.value] = range.map((t) => (this.cycles ? Math.round(t) : (t / scale).toFixed(6)));
      this.change({ from: Number(this.from.value) * scale, to: Number(this.to.value) * scale });
    });
  }
}
