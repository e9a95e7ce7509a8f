// One chart, drawn by uPlot: bars over names, or lines over numbers; again when colours change.
"use strict";

(function (sj) {
  const { el } = sj;
  const MANY = 24; // more bars than this take the whole width
  const drawn = [];

  // Draw all charts made so far, and keep them right: another width, a dark page, paper.
  sj.drawCharts = function (root) {
    drawn.forEach((chart) => chart.draw());
    new ResizeObserver(() => drawn.forEach((chart) => chart.fit())).observe(root);
    const again = (printed) => drawn.forEach((chart) => chart.draw(printed));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => again(false));
    addEventListener("beforeprint", () => again(true));
    addEventListener("afterprint", () => again(false));
  };

  // On paper the colours are those of a light page.
  const PRINTED = { "--muted": "#444", "--line": "#ccc", "--same": "#0b66b2", "--step": "#0b7f66", "--different": "#bb4a12", "--unknown": "#646c75", "--same-soft": "#d5e8f8", "--step-soft": "#d2eee6" };
  const color = (name, printed) => (printed && PRINTED[name]) || getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // A figure: caption, plot, keys, and the same numbers as a table for whom a picture is none.
  sj.chart = function (wanted) {
    const { title, note, x, series, columns, rows } = wanted;
    const parts = series.flatMap(layers);
    const place = el("div", { class: "plot", "aria-hidden": "true" });
    const height = wanted.height || 230;
    const data = [wanted.lines ? x : x.map((_, i) => i), ...parts.map((one) => one.values)];
    let plot = null;
    drawn.push({
      draw(printed) {
        if (plot) plot.destroy();
        plot = new uPlot({ ...settings(wanted, printed), width: Math.max(place.clientWidth, 240), height }, data, place);
      },
      fit() {
        if (plot && place.clientWidth && plot.width !== place.clientWidth) plot.setSize({ width: place.clientWidth, height });
      },
    });
    return el(
      "figure",
      { class: x.length > MANY || wanted.lean ? "card wide" : "card" },
      el("figcaption", null, title, el("small", { class: "muted" }, note)),
      place,
      series.length > 1 ? el("div", { class: "keys" }, series.map((one) => el("span", { class: one.kind }, el("i"), one.label))) : null,
      el("details", { class: "screen-only" }, el("summary", null, "The numbers"), sj.table(columns, rows)),
    );
  };

  // Behind its own bars a series may have light ones (`light`): up to where values may reach.
  const layers = (one, place) => [
    ...(one.light || []).map((values) => ({ ...one, place, values, pale: true })),
    { ...one, place },
  ];

  function settings(wanted, printed) {
    const { x, series, lines } = wanted;
    const line = { stroke: color("--line", printed), width: 1 };
    const axis = { stroke: color("--muted", printed), grid: { show: false }, ticks: line, font: "12px system-ui, sans-serif" };
    const across = lines
      ? { ...axis, values: (_, at) => at.map(wanted.tick) }
      : { ...axis, ...(wanted.lean ? leaning(x) : {}), splits: x.map((_, i) => i), values: (_, at) => at.map((i) => wanted.tick(x[i], i)) };
    return {
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: lines ? undefined : [-0.6, x.length - 0.4] }, y: { range: wanted.range } },
      axes: [across, { ...axis, grid: line, size: 46, values: (_, at) => at.map(wanted.y) }],
      series: [{}, ...series.flatMap(layers).map((one) => drawing(one, wanted, (name) => color(name, printed)))],
    };
  }

  // Long names lean, so that none covers its neighbour.
  const leaning = (names) => ({ rotate: -40, size: 26 + 5 * Math.max(...names.map((name) => name.length)), gap: 8 });

  function drawing(one, { series, lines }, color) {
    const stroke = color("--" + one.kind);
    if (lines) return { label: one.label, stroke, width: 2, spanGaps: true, points: { show: true, size: 7, fill: stroke } };
    const align = series.length === 1 ? 0 : one.place ? 1 : -1;
    const paths = uPlot.paths.bars({ size: [0.8 / series.length, 60], align, gap: 1 });
    const fill = one.pale ? color("--" + one.kind + "-soft") : stroke;
    return { label: one.label, stroke, fill, width: one.pale ? 1 : 0, points: { show: false }, paths };
  }
})((globalThis.segjudge ??= {}));
