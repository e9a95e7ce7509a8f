// The report's charts: how episodes spread, score by length, floors, attacks.
"use strict";

(function (sj) {
  const { el, number } = sj;

  sj.charts = function (root) {
    const figures = [spread(), byLength(), ...sj.curves(), floors(), attacks()].filter(Boolean);
    root.hidden = !figures.length;
    sj.add(root, el("h2", null, "Charts"), el("div", { class: "plots" }, figures));
    sj.drawCharts(root);
  };

  const tenths = (value) => String(Number(value.toFixed(2)));
  const KINDS = ["same", "step"];

  function spread() {
    const values = ({ value, low }) => value.map((exact, i) => exact ?? low[i]);
    const metric = sj.metrics.find((name) => values(sj.data.episodes.values[name]).some((value) => value !== null));
    if (!metric || sj.n < 2) return null;
    const figures = sj.data.episodes.values[metric];
    const counts = new Array(20).fill(0);
    const having = values(figures).filter((value) => value !== null);
    const open = having.length - figures.value.filter((value) => value !== null).length;
    for (const value of having) counts[Math.max(0, Math.min(19, Math.floor(value * 20 + 1e-9)))]++;
    const names = counts.map((_, i) => (i / 20).toFixed(2) + " to " + ((i + 1) / 20).toFixed(2));
    return sj.chart({
      title: "Episodes by " + metric,
      note: sj.plural(having.length, "episode") + (having.length < sj.n ? ", " + (sj.n - having.length) + " without a value" : "") +
        (open ? "; the lower bound for " + (open === having.length ? "all" : sj.count(open)) + ", where verdicts are unknown" : ""),
      x: names,
      series: [{ label: "episodes", kind: "same", values: counts }],
      range: [0, Math.max(1, Math.max(...counts) * 1.08)],
      y: (value) => (Number.isInteger(value) ? sj.count(value) : ""),
      tick: (_, i) => (i % 4 === 0 ? (i / 20).toFixed(1) : ""),
      columns: [[metric], ["episodes", true]],
      rows: names.map((name, i) => [name, sj.count(counts[i])]),
    });
  }

  const EDGES = [0, 1, 2, 5, 10, 30, Infinity];

  // Recall and precision by length: the report's own bins where it has them.
  function byLength() {
    const reported = sj.data.report.by_length || {};
    const metric = Object.keys(reported)[0] || sj.data.creditedBy;
    if (!metric) return null;
    const { reference, prediction } = reported[metric] || { reference: own("reference"), prediction: own("prediction") };
    const least = (bin) => bin.value ?? bin.low ?? null;
    const open = [...reference, ...prediction].some((bin) => bin.value === null && typeof bin.low === "number");
    const names = reference.map((bin) => (bin.to_s === null ? bin.from_s + " s on" : bin.from_s + "–" + bin.to_s + " s"));
    return sj.chart({
      title: metric + " by length of segment",
      note: "recall by the reference's segments, precision by the prediction's" + (open ? "; the lower bound where verdicts are unknown" : ""),
      x: names,
      series: [
        { label: "recall", kind: "same", values: reference.map(least) },
        { label: "precision", kind: "step", values: prediction.map(least) },
      ],
      range: [0, 1],
      y: tenths,
      tick: (name) => name,
      columns: [["length"], ["recall", true], ["reference", true], ["precision", true], ["prediction", true]],
      rows: names.map((name, i) => [name, ...[reference[i], prediction[i]].flatMap((bin) => [sj.sure(bin), sj.count(bin.segments)])]),
    });
  }

  function own(side) {
    const table = sj.data.sides[side];
    const bins = EDGES.slice(0, -1).map((from, i) => ({ from_s: from, to_s: EDGES[i + 1] === Infinity ? null : EDGES[i + 1], segments: 0, credit: 0, length: 0, open: 0 }));
    table.length.forEach((length, i) => {
      const bin = bins[EDGES.findLastIndex((edge) => edge * 1e6 <= length)];
      bin.segments++;
      bin.length += length;
      bin.credit += table.credit[i];
      bin.open += table.open ? table.open[i] : 0;
    });
    return bins.map((bin) => {
      const low = bin.length ? bin.credit / bin.length : null;
      const high = bin.length ? (bin.credit + bin.open) / bin.length : null;
      return { ...bin, value: bin.open ? null : low, low, high };
    });
  }

  function floors() {
    const known = Object.entries(sj.data.floors);
    const metrics = sj.metrics.filter((name) => known.some(([, of]) => of[name])).slice(0, 2);
    if (!metrics.length) return null;
    const all = [["this prediction", sj.data.report.metrics], ...known];
    const end = (name) => (figures) => (figures ? (figures.value ?? figures[name] ?? null) : null);
    const values = (name, metric) => all.map(([, of]) => end(name)(of[metric]));
    const open = all.some(([, of]) => metrics.some((metric) => of[metric] && of[metric].value === null && typeof of[metric].low === "number"));
    return sj.chart({
      title: "Floors",
      note: "what trivial answers score" + (open ? "; where verdicts are unknown, solid to the lower bound and light to the upper" : ""),
      x: all.map(([name]) => name),
      series: metrics.map((metric, m) => ({ label: metric, kind: KINDS[m], values: values("low", metric), light: open ? [values("high", metric)] : [] })),
      range: [0, 1],
      y: tenths,
      tick: (name) => name,
      lean: true,
      height: 300,
      columns: [["answer"], ...metrics.map((metric) => [metric, true])],
      rows: all.map(([name, of]) => [name, ...metrics.map((metric) => sj.sure(of[metric]))]),
    });
  }

  function attacks() {
    const known = Object.entries(sj.data.attacks);
    const metrics = sj.metrics.filter((name) => known.some(([, of]) => of.effects[name])).slice(0, 2);
    if (!metrics.length) return null;
    const series = metrics.map((metric, m) => {
      const changes = known.map(([, { effects }]) => change(effects[metric]));
      const light = [changes.map(({ high }) => high), changes.map(({ low }) => low)];
      return { label: metric, kind: KINDS[m], values: changes.map(sure), light: changes.some(({ low, high }) => low !== high) ? light : [] };
    });
    const open = series.some(({ light }) => light.length);
    const all = [0, ...series.flatMap(({ values, light }) => [values, ...light].flat().map(Number))];
    const margin = 0.06 * (Math.max(...all) - Math.min(...all) || 1);
    return sj.chart({
      title: "Under attack",
      note: "change of the score by what earns nothing honestly: above 0 it pays" + (open ? "; where verdicts are unknown, light as far as it may change" : ""),
      x: known.map(([name]) => name),
      series,
      range: [Math.min(...all) - margin, Math.max(...all) + margin],
      y: tenths,
      tick: (name) => name,
      lean: true,
      height: 330,
      columns: [["attack"], ["kind"], ...metrics.map((metric) => [metric, true])],
      rows: known.map(([name, of]) => [name, of.kind, ...metrics.map((metric) => changeText(change(of.effects[metric])))]),
    });
  }

  // By how much an attack changes a score, at least and at most: one number where all is known.
  function change(effect) {
    const { change: exact = null, change_low: low = null, change_high: high = null } = effect || {};
    return { low: exact ?? low, high: exact ?? high };
  }

  // What of a change is certain: its end nearer to 0, or nothing.
  function sure({ low, high }) {
    if (low === null || high === null) return null;
    return low > 0 ? low : Math.min(high, 0);
  }

  const changeText = ({ low, high }) => (low === high ? sj.signed(low) : sj.signed(low) + " to " + sj.signed(high));
})((globalThis.segjudge ??= {}));
