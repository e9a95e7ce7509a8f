// One episode: reference above prediction for each track, one axis, zoom, lines between matches.
"use strict";

(function (sj) {
  const { el, text } = sj;
  const LANE = 50; // pixels from one lane to the next
  const WIDEST = 400000; // pixels; browsers draw no wider
  const READABLE = 92; // pixels of a middling segment when an episode is opened

  sj.timeline = function (index) {
    const episode = sj.episode(index);
    const state = { episode, metric: Object.keys(sj.data.matched)[0] || "", partners: new Map(), buttons: new Map() };
    const panel = el("div", { "aria-live": "polite" });
    const sheet = el("div", { class: "sheet" });
    const view = el("div", { class: "view" }, sheet);
    const frame = el("div", { class: "timeline", role: "group", "aria-label": "Timelines of " + sj.visible(episode.id) });
    Object.assign(state, { panel, sheet, view, frame });
    state.span = episode.end - episode.start;
    drawTracks(state);
    sj.add(frame, names(state), view);
    const root = el("div", { class: "episode" }, about(episode), tools(state), frame, legend(), panel, asTable(state));
    frame.addEventListener("keydown", (event) => onKey(event, state));
    frame.addEventListener("wheel", (event) => onWheel(event, state), { passive: false });
    showMatches(state);
    showHint(state);
    // The width is known once the row is in the page; an episode is shown from its beginning.
    requestAnimationFrame(() => zoomTo(state, first(state), 0));
    return root;
  };

  function about(episode) {
    const { episodes } = sj.data;
    const fields = Object.entries(episodes.fields).filter(([, values]) => values[episode.index] !== null);
    const facts = fields.map(([name, values]) => el("span", null, sj.visible(name) + ": ", text(values[episode.index])));
    for (const metric of sj.metrics) {
      const values = episodes.values[metric];
      const figures = { value: values.value[episode.index], low: values.low[episode.index], high: values.high[episode.index] };
      facts.push(el("span", null, metric + ": ", el("b", null, sj.valueText(figures))));
    }
    if (episodes.failed.includes(episode.index)) facts.push(el("b", null, "The prediction says that this episode failed."));
    return el("div", { class: "about" }, facts);
  }

  function tools(state) {
    const zoom = (name, label, key, change) =>
      el("button", { type: "button", "aria-label": label, title: label + " (" + key + ")", onclick: change }, name);
    const metrics = Object.keys(sj.data.matched);
    const select = el(
      "select",
      { onchange: (event) => ((state.metric = event.target.value), showMatches(state), choose(state, state.chosen)) },
      [...metrics, ""].map((name) => el("option", { value: name, selected: name === state.metric }, name || "no lines")),
    );
    return el(
      "div",
      { class: "tools screen-only" },
      el("span", { class: "zoom", role: "group", "aria-label": "Zoom" },
        zoom("−", "Zoom out", "-", () => zoomBy(state, 1 / 1.6)),
        zoom("+", "Zoom in", "+", () => zoomBy(state, 1.6)),
        zoom("Fit", "Whole episode", "0", () => zoomTo(state, fit(state)))),
      metrics.length ? el("label", null, "Lines: matched by ", select) : null,
      el("span", { class: "hint" }, el("kbd", null, "←"), " ", el("kbd", null, "→"), " next segment, ", el("kbd", null, "↑"), " ", el("kbd", null, "↓"), " other side, ", el("kbd", null, "Enter"), " choose"),
    );
  }

  function legend() {
    const key = (kind, words) => el("span", { class: kind }, el("i"), words);
    return el(
      "div",
      { class: "legend" },
      key("same", "= credited, same activity"),
      sj.data.reads === "same" ? null : key("step", "⊂ credited, one a step of the other"),
      key("", "not credited"),
      key("unknown", "? unknown"),
      el("span", null, el("i", { class: "link" }), "matched one to one"),
    );
  }

  function names(state) {
    const column = el("div", { class: "names" }, height(el("div"), 27));
    for (const track of state.tracks) {
      const name = sj.data.tracks[track.track];
      const label = (side) => el("div", null, name ? el("b", null, text(name)) : null, side);
      sj.add(column, height(label("Reference"), track.lanes.reference * LANE + 4), height(el("div"), 27), height(label("Predicted"), track.lanes.prediction * LANE + 5));
    }
    return column;
  }

  function height(element, pixels) {
    element.style.setProperty("height", pixels + "px");
    return element;
  }

  function drawTracks(state) {
    const { episode } = state;
    state.axis = el("div", { class: "axis", "aria-hidden": "true" });
    sj.add(state.sheet, state.axis);
    state.order = [];
    state.tracks = episode.tracks.map((track) => {
      const drawn = { track, lanes: {}, links: el("div", { class: "links", "aria-hidden": "true" }) };
      const rows = ["reference", "prediction"].map((side) => {
        const list = episode.sides[side].filter((segment) => segment.track === track);
        drawn.lanes[side] = sj.lanes(list);
        state.order.push(list);
        const what = sj.data.tracks[track] ? side + ", " + sj.visible(sj.data.tracks[track]) : side;
        const row = el("div", { class: "lanes", role: "group", "aria-label": what }, list.map((segment) => button(state, segment)));
        return height(row, drawn.lanes[side] * LANE + 4);
      });
      sj.add(state.sheet, el("div", { class: "track" }, rows[0], drawn.links, rows[1]));
      return drawn;
    });
    const first = state.order.flat()[0];
    if (first) state.buttons.get(first).tabIndex = 0;
  }

  const percent = (state, time) => (100 * (time - state.episode.start)) / state.span;

  function button(state, segment) {
    const made = el("button", {
      type: "button",
      class: "seg" + (segment.length ? "" : " instant"),
      tabindex: "-1",
      "aria-pressed": "false",
      "aria-label": sj.describe(segment),
      title: sj.visible(segment.text),
      onclick: () => choose(state, state.chosen === segment ? null : segment),
      onfocus: () => roam(state, segment),
    });
    sj.place(made, percent(state, segment.start), (100 * segment.length) / state.span);
    made.style.setProperty("top", 4 + segment.lane * LANE + "px");
    for (const pair of pieces(segment)) {
      const left = (100 * (pair.start - segment.start)) / segment.length;
      made.append(sj.place(el("span", { class: "piece " + pair.said.kind }), left, (100 * pair.overlap) / segment.length));
    }
    made.append(el("span", { class: "name", dir: "auto" }, sj.visible(segment.text)));
    state.buttons.set(segment, made);
    return made;
  }

  // The pairs that colour a segment, unknown ones beneath: what is credited for certain stays so.
  function pieces({ pairs }) {
    if (!sj.data.creditedBy) return [];
    const certain = pairs.filter(({ said }) => said.known && said.accepted);
    return [...pairs.filter(({ said }) => !said.known && said.words !== "not asked"), ...certain];
  }

  function showMatches(state) {
    state.partners = new Map();
    for (const track of state.tracks) track.links.replaceChildren();
    if (!state.metric) return;
    const drawings = new Map();
    for (const [reference, prediction] of sj.matches(state.metric, state.episode)) {
      state.partners.set(reference, prediction).set(prediction, reference);
      if (!drawings.has(reference.track)) drawings.set(reference.track, sj.svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none" }));
      const middle = (segment) => percent(state, (segment.start + segment.end) / 2);
      const line = sj.svg("line", { x1: middle(reference), y1: 0, x2: middle(prediction), y2: 10 });
      reference.line = prediction.line = line;
      drawings.get(reference.track).append(line);
    }
    for (const track of state.tracks) if (drawings.has(track.track)) track.links.append(drawings.get(track.track));
  }

  // Choose a segment: mark it and its counterparts, and say what is known of them.
  function choose(state, segment) {
    state.chosen = segment || null;
    const others = new Set(segment ? segment.pairs.map((pair) => (segment.side === "reference" ? pair.prediction : pair.reference)) : []);
    for (const [each, made] of state.buttons) {
      made.setAttribute("aria-pressed", String(each === segment));
      made.classList.toggle("counterpart", others.has(each));
    }
    for (const line of state.sheet.querySelectorAll("line")) line.classList.remove("chosen");
    state.frame.classList.toggle("chosen-one", Boolean(segment));
    if (!segment) return showHint(state);
    const partner = state.partners.get(segment);
    if (partner && segment.line) segment.line.classList.add("chosen");
    const follow = (other) => (focus(state, other), choose(state, other));
    state.panel.replaceChildren(sj.counterparts(segment, state.episode, state.metric, partner, follow));
    return undefined;
  }

  function showHint(state) {
    const words = state.order.flat().length ? "Choose a segment to see its counterparts and what the judge said." : "No segments on either side.";
    state.panel.replaceChildren(el("p", { class: "hint screen-only" }, words));
  }

  function roam(state, segment) {
    for (const made of state.buttons.values()) made.tabIndex = -1;
    state.buttons.get(segment).tabIndex = 0;
    state.at = segment;
  }

  function focus(state, segment) {
    if (!segment) return;
    const made = state.buttons.get(segment);
    made.focus({ preventScroll: true });
    made.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function onKey(event, state) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      ArrowRight: () => step(state, 1),
      ArrowLeft: () => step(state, -1),
      ArrowDown: () => cross(state, 1),
      ArrowUp: () => cross(state, -1),
      Home: () => focus(state, state.order[rowOf(state)][0]),
      End: () => focus(state, state.order[rowOf(state)].at(-1)),
      "+": () => zoomBy(state, 1.6),
      "=": () => zoomBy(state, 1.6),
      "-": () => zoomBy(state, 1 / 1.6),
      0: () => zoomTo(state, fit(state)),
      Escape: () => choose(state, null),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  const rowOf = (state) => Math.max(0, state.order.findIndex((list) => list.includes(state.at)));

  function step(state, by) {
    const list = state.order[rowOf(state)];
    focus(state, list[list.indexOf(state.at) + by]);
  }

  // To the nearest segment in time in the next row that has any.
  function cross(state, by) {
    const from = state.at;
    let row = rowOf(state) + by;
    while (state.order[row] && !state.order[row].length) row += by;
    if (!state.order[row] || !from) return;
    const middle = (segment) => segment.start + segment.end;
    const away = (segment) => Math.abs(middle(segment) - middle(from));
    focus(state, state.order[row].reduce((best, each) => (away(each) < away(best) ? each : best)));
  }

  const fit = (state) => (state.view.clientWidth || 800) / state.span;

  // The whole episode where that is nearly legible, else so large that it is.
  function first(state) {
    return readable(state) < 1.4 * fit(state) ? fit(state) : readable(state);
  }

  function readable(state) {
    const lengths = state.order.flat().map((segment) => segment.length).filter(Boolean).sort((a, b) => a - b);
    return lengths.length ? READABLE / lengths[lengths.length >> 1] : 0;
  }

  // Zoom to so many pixels a microsecond, keeping the middle (or a given point) in place.
  function zoomTo(state, scale, at = 0.5) {
    const { view } = state;
    const before = view.scrollWidth ? (view.scrollLeft + at * view.clientWidth) / view.scrollWidth : 0;
    state.scale = Math.min(Math.max(scale, fit(state)), WIDEST / state.span);
    const width = state.scale * state.span;
    state.sheet.style.setProperty("width", width <= view.clientWidth + 1 ? "100%" : width + "px");
    view.scrollLeft = before * view.scrollWidth - at * view.clientWidth;
    sj.ticks(state.axis, state.episode, state.scale);
  }

  const zoomBy = (state, factor) => zoomTo(state, state.scale * factor);

  function onWheel(event, state) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = state.view.getBoundingClientRect();
    zoomTo(state, state.scale * Math.exp(-event.deltaY / 300), (event.clientX - box.left) / box.width);
  }

  function asTable(state) {
    const body = el("div");
    const details = el("details", null, el("summary", null, "Every segment as a table"), body);
    details.addEventListener("toggle", () => {
      if (details.open && !body.firstChild) body.append(sj.segmentTable(state));
    });
    return details;
  }
})((globalThis.segjudge ??= {}));
