// The page's script, second part: the ladder with its filters, and what the buttons of the page do.
function unpack(d) {
  const events = [];
  let number = 0, at = 0;
  for (let i = 0; i < d.k.length; i++) {
    number += d.n[i];
    at += d.t[i];
    events.push({
      i, number, at, flow: d.f ? d.f[i] : 0, kind: d.k[i], back: d.b[i] === "1", psn: d.p[i],
      op: d.o ? d.texts[d.o[i]] : "", syndrome: d.s ? d.texts[d.s[i]] : "", cause: d.c ? d.texts[d.c[i]] : "",
      text: d.x ? d.texts[d.x[i]] : "", want: d.w ? d.texts[d.w[i]] : "",
    });
  }
  return events;
}

class Ladder extends Plot {
  constructor(box) {
    super();
    this.data = JSON.parse(box.querySelector("script").textContent);
    this.events = unpack(this.data);
    this.box = box;
    this.cycles = this.data.unit === "cycles";
    this.figure = box.querySelector(".rungs");
    this.plot = box.querySelector(".plot");
    this.filter = { flow: -1, kinds: new Set(), text: "", from: -Infinity, to: Infinity };
    this.open = new Set(); // folds that were opened, by the place of their first event
    this.page = 0;
    this.found = -1;
    this.controls();
    this.apply();
    const bad = this.rows.findIndex((r) => r.event && r.event.kind === BROKEN);
    if (bad >= 0) this.page = Math.floor(bad / PAGE);
    this.render();
  }

  controls() {
    const form = this.box.querySelector(".filters");
    const flows = this.data.flows;
    const labelled = (text, control) => {
      const l = element("label", {}, text);
      l.append(control);
      form.append(l);
      return control;
    };
    const select = labelled("flow", element("select", { class: "flow" }));
    select.append(element("option", { value: "-1" }, "all"));
    flows.forEach((name, i) => { if (name) select.append(element("option", { value: i }, name)); });
    select.addEventListener("change", () => this.change({ flow: Number(select.value) }));
    const present = new Set(this.events.map((e) => e.kind));
    for (const k of [...present].sort((a, b) => a - b)) {
      const box = element("input", { type: "checkbox", value: k, class: "kind" });
      box.checked = true;
      const l = element("label", {});
      l.append(box, this.data.kinds[k]);
      form.append(l);
      box.addEventListener("change", () => {
        if (box.checked) this.filter.kinds.delete(k); else this.filter.kinds.add(k);
        this.change({});
      });
    }
    const unit = this.cycles ? "cycle" : "ms";
    const scale = this.cycles ? 1 : 1e6;
    const bound = (name, which, none) => {
      const input = element("input", { type: "number", step: "any", class: which });
      const l = element("label", { class: "time" }, name + " " + unit);
      l.append(input);
      form.append(l);
      const value = () => input.value === "" ? none : input.value * scale;
      input.addEventListener("change", () => this.change({ [which]: value() }));
      this[which] = input;
    };
    bound("from", "from", -Infinity);
    bound("to", "to", Infinity);
    const search = labelled("find", element("input", { type: "search", class: "search",
      placeholder: "PSN, opcode, rule, packet" }));
    search.addEventListener("input", () => this.change({ text: search.value.trim().toLowerCase() }));
    const all = element("button", { type: "button", class: "reset" }, "all again");
    all.addEventListener("click", () => this.reset());
    this.count = element("span", { class: "count", role: "status" });
    form.append(all, this.count);
    this.pager = element("div", { class: "pager" });
    this.figure.before(this.pager);
    this.detail = element("p", { class: "detail", hidden: "" });
    this.figure.after(this.detail);
  }

  reset() {
    this.filter = { flow: -1, kinds: new Set(), text: "", from: -Infinity, to: Infinity };
    for (const e of this.box.querySelectorAll(".filters input")) {
      if (e.type === "checkbox") e.checked = true; else e.value = "";
    }
    this.box.querySelector("select.flow").value = "-1";
    this.change({});
  }

  change(some) {
    Object.assign(this.filter, some);
    this.page = 0;
    this.apply();
    this.render();
  }

  matches(e) {
    const f = this.filter;
    if (f.flow >= 0 && e.flow !== f.flow || f.kinds.has(e.kind) || e.at < f.from || e.at > f.to) return false;
    if (!f.text) return true;
    const words = [e.op, e.syndrome, e.cause, e.text, e.want, this.data.flows[e.flow], this.data.kinds[e.kind],
      e.psn >= 0 ? hex(e.psn) : ""].join(" ").toLowerCase();
    return words.includes(f.text) || String(e.number) === f.text;
  }

  // apply makes the rows: events that match, with runs of plain ones folded.
  apply() {
    const list = this.events.filter((e) => this.matches(e));
    this.shown = list;
    this.rows = [];
    const near = new Uint8Array(list.length);
    list.forEach((e, i) => {
      const before = list[i - 1], after = list[i + 1];
      const alike = (o) => o && o.kind === e.kind && o.cause === e.cause && e.kind === AGAIN;
      const dull = PLAIN.has(e.kind) || alike(before) && alike(after); // in a burst only its ends matter
      if (!dull || e.i === this.found) near.fill(1, Math.max(0, i - KEEP), i + KEEP + 1);
    });
    const few = list.length <= 60;
    for (let i = 0; i < list.length;) {
      let end = i;
      while (end < list.length && !near[end]) end++;
      if (few || end - i < 2 * KEEP || this.open.has(list[i].i)) {
        if (end === i) end++;
        for (; i < end; i++) this.rows.push({ event: list[i] });
      } else {
        this.rows.push({ fold: list[i].i, count: end - i, from: list[i], to: list[end - 1] });
        i = end;
      }
    }
    let text = `${list.length} of ${this.events.length}`;
    if (this.data.left_out) text += ` (${this.data.left_out} more are not in this page)`;
    this.count.textContent = text;
  }

  render() {
    this.width = Math.max(300, this.figure.clientWidth || 900);
    this.renderPager();
    this.renderRungs();
    this.renderPlot();
  }

  renderPager() {
    const pages = Math.ceil(this.rows.length / PAGE);
    this.pager.replaceChildren();
    this.pager.hidden = pages < 2;
    const go = (name, to) => {
      const b = element("button", { type: "button" }, name);
      b.disabled = to < 0 || to >= pages || to === this.page;
      b.addEventListener("click", () => { this.page = to; this.render(); });
      this.pager.append(b);
    };
    go("first", 0);
    go("earlier", this.page - 1);
    this.pager.append(element("span", {}, `part ${this.page + 1} of ${pages}`));
    go("later", this.page + 1);
    go("last", pages - 1);
  }

  // lanes says where the lines stand, and how much room there is for what is said of a rung.
  lanes() {
    const phone = this.width < 600;
    const gutter = phone ? 76 : 150;
    if (this.data.sides) {
      return { phone, gutter, left: gutter, middle: (gutter + this.width - 14) / 2, right: this.width - 14, note: 0,
        height: 34, size: phone ? 6.7 : 7.3 };
    }
    const right = phone ? this.width - 14 : Math.round(this.width * 0.64);
    const note = phone ? 0 : this.width - right - 16;
    return { phone, gutter, left: gutter, middle: (gutter + right) / 2, right, note,
      height: phone ? 46 : 30, size: phone ? 6.7 : 7.3 };
  }

  renderRungs() {
    const rows = this.rows.slice(this.page * PAGE, (this.page + 1) * PAGE);
    const g = this.lanes();
    const head = 22, height = head + rows.length * g.height + 6;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "ladder: " + this.data.lanes.join(", "));
    [g.left, g.middle, g.right].forEach((x, i) => {
      const anchor = i === 0 ? "start" : i === 2 ? "end" : "middle";
      draw(svg, "text", { x, y: 13, "text-anchor": anchor, class: "dim" }, this.data.lanes[i]);
    });
    const lines = draw(svg, "g", {});
    rows.forEach((row, i) => {
      const y = head + i * g.height;
      const group = draw(svg, "g", { class: "row" });
      draw(group, "rect", { class: "back", x: 0, y, width: this.width, height: g.height });
      if (row.event) this.rung(group, row.event, y, g); else this.fold(group, row, y, g);
    });
    for (const x of [g.left, g.middle, g.right]) {
      draw(lines, "line", { class: "lane", x1: x, x2: x, y1: head - 4, y2: height });
    }
    this.figure.replaceChildren(svg);
  }

  fold(group, row, y, g) {
    group.setAttribute("class", "row fold");
    const what = row.from.kind === AGAIN ? "more" : "in order";
    const text = `\u22ee ${row.count} ${what}, ${this.time(row.from.at)} to ${this.time(row.to.at)}`;
    draw(group, "text", { x: g.middle, y: y + g.height / 2 + 4, "text-anchor": "middle" },
      cut(text, this.width - g.gutter, g.size));
    group.addEventListener("click", () => {
      this.open.add(row.fold);
      this.apply();
      this.render();
    });
  }

  label(e) {
    const parts = [e.op];
    if (e.psn >= 0) parts.push(hex(e.psn));
    if (e.syndrome) parts.push(e.syndrome);
    return parts.filter(Boolean).join(" ") || this.data.kinds[e.kind];
  }

  rung(group, e, y, g) {
    if (e.kind === BROKEN) group.classList.add("broken");
    if (e.i === this.found) group.classList.add("found");
    group.dataset.event = e.i;
    const number = e.number ? " #" + e.number : "";
    draw(group, "text", { x: 2, y: y + 14, class: "dim" },
      cut(this.time(e.at) + (g.phone ? "" : number), g.gutter - 6, g.size));
    if (g.phone && number) draw(group, "text", { x: 2, y: y + 28, class: "dim" }, number.trim());
    if (this.data.sides) this.sides(group, e, y, g); else this.way(group, e, y, g);
    draw(group, "title", {}, this.whole(e));
    group.addEventListener("click", () => {
      this.detail.hidden = false;
      this.detail.textContent = this.whole(e);
    });
  }

  whole(e) {
    return [this.time(e.at) + (this.cycles ? " cycles" : ""), e.number ? "#" + e.number : "", this.data.flows[e.flow],
      this.data.kinds[e.kind] + (e.cause ? ": " + e.cause : ""), this.label(e), e.text,
      e.want ? "expected: " + e.want : ""].filter(Boolean).join(" \u00b7 ");
  }

  arrow(group, from, to, y, css) {
    const way = Math.sign(to - from);
    draw(group, "line", { class: "arrow " + css, x1: from, x2: to - way * 3, y1: y, y2: y });
    draw(group, "path", { class: css, d: `M${to} ${y}l${-7 * way} -3.5v7z` });
  }

  // way draws a packet between requester and responder. What is lost ends in a cross, what came twice has two arrows.
  way(group, e, y, g) {
    const css = "k" + e.kind, line = y + (g.phone ? 24 : 20);
    const [from, to] = e.back ? [g.right, g.left] : [g.left, g.right];
    draw(group, "text", { x: g.middle, y: line - 6, "text-anchor": "middle", class: css },
      cut(this.label(e), g.right - g.left, g.size));
    if (e.kind === LOST) {
      draw(group, "line", { class: "arrow dashed " + css, x1: from, x2: g.middle, y1: line, y2: line });
      draw(group, "path", { class: "arrow " + css, d: `M${g.middle - 4} ${line - 4}l8 8m0 -8l-8 8` });
    } else {
      this.arrow(group, from, to, line, css);
      if (e.kind === 3) this.arrow(group, from, to, line + 4, css);
    }
    const note = [PLAIN.has(e.kind) ? "" : this.data.kinds[e.kind], e.cause, e.text].filter(Boolean).join(": ");
    if (g.note) draw(group, "text", { x: g.right + 12, y: line + 1, class: PLAIN.has(e.kind) ? "dim" : css },
      cut(note, g.note, g.size));
    else draw(group, "text", { x: g.gutter, y: line + 15, class: PLAIN.has(e.kind) ? "dim" : css },
      cut(note, this.width - g.gutter, g.size));
  }

  // sides draws what a device was given, what it should answer (left) and what it answered (right).
  sides(group, e, y, g) {
    const css = "k" + e.kind, line = y + 24, half = g.right - g.middle - 10;
    const text = [this.label(e), e.text].filter(Boolean).join(" ");
    if (!e.back) {
      this.arrow(group, g.middle, g.right, line, css);
      this.arrow(group, g.middle, g.left, line, css);
      draw(group, "text", { x: g.middle, y: line - 7, "text-anchor": "middle", class: css },
        cut(text, g.right - g.left, g.size));
      return;
    }
    const differs = e.kind === BROKEN;
    this.arrow(group, g.left, g.middle, line, differs ? "want dashed" : css);
    this.arrow(group, g.right, g.middle, line, css);
    if (differs) {
      draw(group, "text", { x: g.left + 4, y: line - 7, class: "want" }, cut(e.want || "nothing", half, g.size));
      draw(group, "text", { x: g.middle + 6, y: line - 7, class: css }, cut(text, half, g.size));
    } else {
      draw(group, "text", { x: g.middle + 6, y: line - 7, class: css }, cut(text, half, g.size));
    }
  }

  // show brings an event into sight, whatever is filtered.
  show(i) {
    this.found = i;
    if (!this.shown.some((e) => e.i === i)) this.reset();
    this.apply();
    const at = this.rows.findIndex((r) => r.event && r.event.i === i);
    this.page = Math.max(0, Math.floor(at / PAGE));
    this.render();
    const row = this.figure.querySelector(`[data-event="${i}"]`);
    if (row) row.scrollIntoView({ block: "center" });
    this.detail.hidden = false;
    this.detail.textContent = this.whole(this.events[i]);
  }
}

const ladders = [...document.querySelectorAll("div.ladder")].map((box) => (box.ladder = new Ladder(box)));

for (const b of document.querySelectorAll("button.copy")) {
  b.addEventListener("click", async () => {
    const code = b.parentElement.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      b.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(code);
      b.textContent = "selected";
    }
  });
}
for (const b of document.querySelectorAll("button.goto")) {
  b.addEventListener("click", () => {
    const ladder = b.closest("section").querySelector("div.ladder");
    const at = ladder ? ladder.ladder.events.findIndex((e) => e.number === Number(b.dataset.packet)) : -1;
    if (at >= 0) ladder.ladder.show(at);
  });
}

let waiting = 0;
const redraw = () => ladders.forEach((l) => l.render());
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(redraw, 100);
});
addEventListener("beforeprint", () => {
  for (const d of document.querySelectorAll("details")) d.open = true;
  redraw();
});