// The top of the page: figures, who judged, what was noticed, in words.
"use strict";

(function (sj) {
  const { el, text, number } = sj;

  sj.summary = function (root) {
    const { report } = sj.data;
    sj.add(
      document.getElementById("made"),
      [
        sj.plural(sj.n, "episode"),
        sj.count(total("reference")) + " reference and " + sj.count(total("prediction")) + " predicted segments",
        "scored " + report.run.created.replace("T", " ").replace("+00:00", " UTC"),
        "segjudge " + report.version,
      ].join(" · "),
    );
    sj.add(
      root,
      el("h2", null, "Figures"),
      el("div", { class: "figures" }, sj.metrics.map((name) => figure(name, report.metrics[name]))),
      el("div", { class: "facts" }, judge(report), made(report)),
      findings(report.findings),
      Object.entries(report.by_group).map(([field, groups]) => byGroup(field, groups)),
    );
  };

  const total = (side) => sj.data.sides[side].length.length;

  function figure(name, figures) {
    const exact = figures.value !== null;
    const bounded = !exact && figures.low !== null && figures.low !== undefined;
    const shown = exact ? number(figures.value) : bounded ? number(figures.low) + " to " + number(figures.high) : "no value";
    const parts = [];
    if (hasInterval(figures)) {
      parts.push([interval(), number(figures.ci_low) + " to " + number(figures.ci_high)]);
    }
    parts.push(["mean over episodes", mean(figures)]);
    for (const part of ["precision", "recall"]) {
      if (figures[part] !== undefined && figures[part] !== null) parts.push([part, number(figures[part])]);
    }
    const floor = sj.bestFloor(name);
    if (floor) parts.push(["best floor: " + floor.name, sj.valueText(floor)]);
    return el(
      "div",
      { class: "card figure" },
      el("h3", null, name),
      el("p", { class: "value" + (exact ? "" : " bounds") }, shown),
      gauge(figures, floor, shown),
      el("dl", { class: "parts" }, parts.map(([key, value]) => [el("dt", null, key), el("dd", null, value)])),
      figures.reason ? el("p", { class: "notice warning" }, el("b", null, exact ? "" : "No value. "), text(figures.reason)) : null,
      floor ? aboveFloor(figures, floor) : null,
    );
  }

  // Bounds may leave open whether a trivial answer scores as much.
  function aboveFloor(figures, floor) {
    const { low, high } = figures;
    if (typeof low !== "number" || low > floor.high) return null;
    const sure = high <= floor.low;
    return el(
      "p",
      { class: "notice" + (sure ? " warning" : "") },
      el("b", null, sure ? "Not above the floor. " : "Perhaps not above the floor. "),
      sure ? "A trivial answer scores as much." : "Undecided pairs leave that open.",
    );
  }

  function interval() {
    const { level } = sj.data.report.options.ci || {};
    return (typeof level === "number" ? Number((100 * level).toPrecision(12)) + " % " : "") + "interval";
  }

  function mean(figures) {
    if (figures.mean_over_episodes !== null && figures.mean_over_episodes !== undefined) {
      return number(figures.mean_over_episodes);
    }
    const { mean_low: low, mean_high: high } = figures;
    return low === null || low === undefined ? "–" : number(low) + " to " + number(high);
  }

  // A scale from 0 to 1; what it shows stands beside it in words.
  function gauge(figures, floor, shown) {
    const scale = el("div", { class: "gauge", role: "img", "aria-label": "From 0 to 1: " + shown }, el("span", { class: "rail" }));
    const exact = figures.value !== null;
    const low = exact ? figures.ci_low : figures.low;
    const high = exact ? figures.ci_high : figures.high;
    if (typeof low === "number") scale.append(sj.place(el("span", { class: "range" }), 100 * low, 100 * (high - low)));
    if (floor) scale.append(sj.place(el("span", { class: "floor" }), 100 * floor.low, 100 * (floor.high - floor.low)));
    if (exact) scale.append(sj.place(el("span", { class: "point" }), 100 * figures.value));
    return scale;
  }

  // The floor that scores most, unknown answers read as yes; null where none was computed.
  sj.bestFloor = function (metric) {
    let best = null;
    for (const [name, metrics] of Object.entries(sj.data.floors || {})) {
      const figures = metrics[metric];
      if (!figures || typeof figures.high !== "number") continue;
      if (!best || figures.high > best.high) best = { name, ...figures };
    }
    return best;
  };

  const BY = {
    identity: "by equal labels",
    rule: "by an empty label",
    verb: "by verb",
    human: "by people",
    recorded: "recorded",
    model: "asked now",
    unknown: "unknown",
  };

  function judge(report) {
    const { pairs } = report.judge;
    const decided = Object.entries(pairs).filter(([name, n]) => n && name !== "needed");
    const known = pairs.needed - pairs.unknown;
    const run = report.run;
    const facts = [
      ["judge", report.judge.id ? text(report.judge.id) : "none"],
      ["prompt", report.judge.prompt ? text(report.judge.prompt) : "–"],
      ["label pairs", sj.count(pairs.needed) + " needed, " + sj.count(known) + " decided" + (pairs.needed ? " (" + coverage(known, pairs.needed) + ")" : "")],
      ["from", decided.length ? decided.map(([name, n]) => sj.count(n) + " " + (BY[name] || name)).join(", ") : "–"],
      ["calls", run.asked || run.cached ? sj.count(run.asked) + " asked, " + sj.count(run.cached) + " from the store" + (run.failed ? ", " + sj.count(run.failed) + " failed" : "") : "none: nothing was asked"],
      ["cost", run.cost_usd === null ? (run.asked ? "unknown" : "$0") : "$" + run.cost_usd.toFixed(4) + (run.tokens ? ", " + sj.count(run.tokens) + " tokens" : "")],
    ];
    return el(
      "div",
      { class: "card" },
      el("h3", null, "Who judged"),
      el("dl", null, facts.map(([key, value]) => [el("dt", null, key), el("dd", null, value)])),
    );
  }

  const coverage = (known, needed) => (known === needed ? "all" : (Math.floor((1000 * known) / needed) / 10).toFixed(1) + " %");

  function made(report) {
    const options = Object.entries(report.options).map(([name, value]) => [
      name,
      name === "bins" && Array.isArray(value) ? value.map((edge) => edge ?? "inf").join(", ") : inWords(value),
    ]);
    return el(
      "div",
      { class: "card" },
      el("h3", null, "What was scored"),
      el(
        "dl",
        null,
        report.inputs.map((input) => [
          el("dt", null, text(input.role)),
          el("dd", null, text(input.file), " ", el("small", null, input.format + ", SHA-256 ", el("code", null, input.sha256.slice(0, 12)))),
        ]),
        options.map(([key, value]) => [el("dt", null, key.replaceAll("_", " ")), el("dd", null, text(value))]),
      ),
    );
  }

  // An option's value: lists and groups as words, not as code.
  function inWords(value) {
    if (Array.isArray(value)) return value.map(inWords).join(", ");
    if (value === true || value === false) return value ? "yes" : "no";
    if (value === null || typeof value !== "object") return String(value);
    return Object.entries(value).map(([name, one]) => name.replaceAll("_", " ") + " " + inWords(one)).join(", ");
  }

  function findings(list) {
    const sorted = [...list].sort((a, b) => (b.level === "warning") - (a.level === "warning"));
    if (!sorted.length) return el("p", { class: "muted" }, "Nothing was noticed about the input.");
    const warnings = sorted.filter((item) => item.level === "warning").length;
    return el(
      "div",
      { class: "card findings" },
      el("h3", null, "Noticed: " + sj.plural(warnings, "warning") + ", " + sj.plural(sorted.length - warnings, "note")),
      sorted.map((item) =>
        el(
          "div",
          { class: "notice " + item.level },
          el("b", null, item.level === "warning" ? "Warning. " : ""),
          item.side ? item.side + ": " : "",
          text(item.message),
          item.places.length
            ? el("details", null, el("summary", null, "where"), el("ul", null, item.places.map((place) => el("li", null, text(place)))))
            : null,
        ),
      ),
    );
  }

  function byGroup(field, groups) {
    const columns = [[field, false], ["episodes", true], ...sj.metrics.map((name) => [name, true])];
    const rows = Object.entries(groups).map(([group, of]) => {
      const first = of[sj.metrics[0]] || {};
      return [
        group ? text(group) : "(none)",
        sj.count((first.episodes || 0) + (first.episodes_without_value || 0)),
        ...sj.metrics.map((name) => sj.sure(of[name])),
      ];
    });
    const sure = Object.values(groups).some((of) => sj.metrics.some((name) => hasInterval(of[name])));
    const note = sure ? el("small", null, "in brackets: " + interval()) : null;
    return el("div", null, el("h3", null, "By " + sj.visible(field), " ", note), sj.table(columns, rows));
  }

  const hasInterval = (figures) => Boolean(figures) && typeof figures.ci_low === "number";

  // A value, and its interval where it has one.
  sj.sure = function (figures) {
    const value = sj.valueText(figures);
    if (!hasInterval(figures)) return value;
    return [value, " ", el("small", { title: interval() }, "[" + number(figures.ci_low) + ", " + number(figures.ci_high) + "]")];
  };

  sj.valueText = function (figures) {
    if (!figures) return "–";
    if (figures.value !== null || figures.low === null || figures.low === undefined) return number(figures.value);
    return number(figures.low) + " to " + number(figures.high);
  };
})((globalThis.segjudge ??= {}));
