// The list of episodes: sorted, filtered, each drawn when it is opened.
"use strict";

(function (sj) {
  const { el, text } = sj;
  const BATCH = 50; // rows shown at once
  const SHORT = 24; // characters; such text isn't broken within a word
  const MOST_CHOICES = 60; // a field with more values than this is no choice

  sj.episodes = function (root) {
    const state = { sort: firstSort(), query: "", chosen: {}, shown: BATCH, open: new Map() };
    state.body = el("tbody");
    state.head = el("tr");
    state.count = el("p", { class: "count", role: "status" });
    state.more = el("button", { type: "button", class: "more screen-only", onclick: () => ((state.shown += 5 * BATCH), fill(state)) });
    const table = el("table", { class: "episodes" }, el("caption", { hidden: true }, "Episodes"), el("thead", null, state.head), state.body);
    sj.add(root, el("h2", null, "Episodes"), filters(state), el("div", { class: "scroll" }, table), state.more);
    state.body.addEventListener("keydown", (event) => onKey(event, state));
    sj.filterBy = (query) => {
      state.input.value = state.query = query;
      fill(state);
      root.scrollIntoView();
      state.input.focus({ preventScroll: true });
    };
    fill(state);
  };

  // Worst first by the leading metric; episodes without a value last.
  const firstSort = () => (sj.metrics.length ? { by: "metric", name: sj.metrics[0], up: true } : { by: "id", up: true });

  function filters(state) {
    state.input = el("input", {
      type: "search",
      placeholder: "text in a label or an id",
      oninput: (event) => ((state.query = event.target.value), (state.shown = BATCH), fill(state)),
    });
    const select = el("select", { onchange: (event) => ((state.sort = sorts[event.target.value].sort), fill(state)) });
    const sorts = [];
    for (const name of sj.metrics) {
      sorts.push({ words: "worst first, " + name, sort: { by: "metric", name, up: true } });
      sorts.push({ words: "best first, " + name, sort: { by: "metric", name, up: false } });
    }
    sorts.push({ words: "most time not credited", sort: { by: "lost", up: false } });
    sorts.push({ words: "id", sort: { by: "id", up: true } }, { words: "most segments", sort: { by: "segments", up: false } });
    sj.add(select, sorts.map(({ words }, i) => el("option", { value: i }, words)));
    state.select = select;
    state.sorts = sorts;
    return el(
      "div",
      { class: "filters screen-only" },
      el("label", { class: "field" }, "Find", state.input),
      Object.entries(sj.data.episodes.fields).map(([name, values]) => choice(state, name, values)),
      el("label", { class: "field" }, "Order", select),
      state.count,
    );
  }

  function choice(state, name, values) {
    const distinct = [...new Set(values.map((value) => (value === null ? "" : String(value))))].sort();
    if (distinct.length < 2 || distinct.length > MOST_CHOICES || distinct.length === values.length) return null;
    const pick = (event) => ((state.chosen[name] = event.target.value), fill(state));
    const options = distinct.map((value) => el("option", { value: "=" + value }, sj.visible(value) || "(none)"));
    return el("label", { class: "field" }, sj.visible(name), el("select", { onchange: pick }, el("option", { value: "" }, "all"), options));
  }

  function key({ by, name }, i) {
    const { episodes } = sj.data;
    if (by === "id") return episodes.id[i];
    if (by === "field") return episodes.fields[name][i];
    if (by === "segments") return sj.segmentCount("reference", i) + sj.segmentCount("prediction", i);
    if (by === "lost") return episodes.length[i] - episodes.credit[0][i];
    const values = episodes.values[name];
    return values.value[i] ?? values.low[i];
  }

  // What decides where the keys are equal: the upper bound, for a metric.
  function second({ by, name }, i) {
    if (by !== "metric") return 0;
    const values = sj.data.episodes.values[name];
    return values.value[i] ?? values.high[i];
  }

  function listed(state) {
    const found = sj.episodesWith(state.query);
    const { fields } = sj.data.episodes;
    const wanted = Object.entries(state.chosen).filter(([, value]) => value);
    const list = [];
    for (let i = 0; i < sj.n; i++) {
      if (found && !found.has(i)) continue;
      if (wanted.every(([name, value]) => "=" + (fields[name][i] ?? "") === value)) list.push(i);
    }
    const keys = new Map(list.map((i) => [i, key(state.sort, i)]));
    const sign = state.sort.up ? 1 : -1;
    const order = (one, two) => (one < two ? -sign : one > two ? sign : 0);
    return list.sort((a, b) => {
      const [one, two] = [keys.get(a), keys.get(b)];
      if (one === null || two === null) return (one === null) - (two === null) || a - b;
      return order(one, two) || order(second(state.sort, a), second(state.sort, b)) || a - b;
    });
  }

  function columns() {
    const named = [["Episode", { by: "id" }]];
    for (const name of sj.metrics) named.push([name, { by: "metric", name }, true]);
    if (sj.data.creditedBy) named.push(["Credited time, both sides", { by: "lost" }, false, "Share of both sides' annotated time"]);
    named.push(["Segments", { by: "segments" }, true]);
    for (const [name, values] of shownFields()) if (values) named.push([sj.visible(name), { by: "field", name }]);
    return named;
  }

  // Fields short enough for a column.
  function shownFields() {
    return Object.entries(sj.data.episodes.fields).filter(
      ([, values]) => values.some((value) => value !== null) && values.every((value) => value === null || String(value).length <= SHORT),
    ).slice(0, 3);
  }

  function fill(state) {
    const list = listed(state);
    const sorted = state.sort;
    state.head.replaceChildren(
      ...columns().map(([name, sort, isNumber, title]) => {
        const on = sorted.by === sort.by && sorted.name === sort.name;
        const turn = () => {
          state.sort = { ...sort, up: on ? !sorted.up : sort.by !== "lost" && sort.by !== "segments" };
          fill(state);
        };
        const arrow = on ? (sorted.up ? " ↑" : " ↓") : "";
        return el("th", { scope: "col", class: isNumber ? "number" : null, "aria-sort": on ? (sorted.up ? "ascending" : "descending") : null },
          el("button", { type: "button", class: title ? "plain wraps" : "plain", title, onclick: turn }, name + arrow));
      }),
    );
    const place = state.sorts.findIndex(({ sort }) => sort.by === sorted.by && sort.name === sorted.name && sort.up === sorted.up);
    state.select.selectedIndex = place;
    const rows = list.slice(0, state.shown).flatMap((i) => [row(state, i), state.open.get(i)].filter(Boolean));
    state.body.replaceChildren(...rows);
    state.count.textContent = list.length === sj.n ? sj.plural(sj.n, "episode") : sj.count(list.length) + " of " + sj.plural(sj.n, "episode");
    state.more.hidden = list.length <= state.shown;
    state.more.textContent = "Show more (" + sj.count(list.length - state.shown) + " left)";
  }

  function row(state, i) {
    const { episodes } = sj.data;
    const open = state.open.has(i);
    const button = el("button", { type: "button", class: "plain", "aria-expanded": String(open), onclick: () => toggle(state, i, made) }, text(episodes.id[i] || "(empty id)"));
    const made = el(
      "tr",
      { class: open ? "open" : null },
      el("td", { class: episodes.id[i].length > SHORT ? "id" : "id short" }, button),
      sj.metrics.map((name) => {
        const values = episodes.values[name];
        return el("td", { class: "number" }, sj.valueText({ value: values.value[i], low: values.low[i], high: values.high[i] }));
      }),
      sj.data.creditedBy ? el("td", null, bar(i)) : null,
      el("td", { class: "number" }, sj.segmentCount("reference", i) + " / " + sj.segmentCount("prediction", i)),
      shownFields().map(([, values]) => el("td", { class: "short" }, values[i] === null ? "" : text(values[i]))),
    );
    return made;
  }

  // Credited time of both sides as a share of all; hatched what unknown answers may add.
  function bar(i) {
    const { credit, length } = sj.data.episodes;
    const share = (value) => (length[i] ? (100 * value) / length[i] : 0);
    const low = share(credit[0][i]);
    const words = length[i] ? low.toFixed(0) + " % of " + sj.clock(length[i], 0) + (length[i] < 60e6 ? " s" : "") : "no segments";
    return [
      el("span", { class: "bar", "aria-hidden": "true" },
        sj.place(el("span", { class: "fill" }), 0, low),
        credit[1][i] > credit[0][i] ? sj.place(el("span", { class: "may" }), low, share(credit[1][i]) - low) : null),
      " ",
      el("small", { title: "of both sides' annotated time" }, words),
    ];
  }

  function toggle(state, i, made) {
    const opened = state.open.get(i);
    const button = made.querySelector("button");
    if (opened) {
      opened.remove();
      state.open.delete(i);
    } else {
      const cell = el("td", { colspan: columns().length }, sj.timeline(i));
      state.open.set(i, el("tr", null, cell));
      made.after(state.open.get(i));
    }
    made.classList.toggle("open", !opened);
    button.setAttribute("aria-expanded", String(!opened));
  }

  function onKey(event, state) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const all = [...state.body.querySelectorAll("td.id > button")];
    const at = all.indexOf(event.target);
    if (!by || at < 0) return;
    event.preventDefault();
    if (all[at + by]) all[at + by].focus();
  }
})((globalThis.segjudge ??= {}));
