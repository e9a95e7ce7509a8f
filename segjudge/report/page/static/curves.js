// Gaming curves: what the score does as an attack grows, for attacks that have an amount in seconds.
"use strict";

(function (sj) {
  // What an attack does where its name says no amount.
  const UNSAID = { shift: 0.5, jitter: 0.5, round: 1, floor: 1 };
  const KINDS = ["same", "step", "different", "unknown"];

  // Charts of the first two metrics, or none where no attack was tried at several amounts.
  sj.curves = function () {
    const attacks = Object.values(sj.data.attacks || {});
    const families = Object.entries(Object.groupBy(attacks, (attack) => attack.name))
      .map(([name, tried]) => ({ name, tried: tried.filter((attack) => amount(attack) !== null) }))
      .filter(({ tried }) => tried.length > 2)
      .slice(0, KINDS.length);
    if (!families.length) return [];
    const known = (metric) => families.some(({ tried }) => tried.some((attack) => attack.effects[metric]));
    return sj.metrics.filter(known).slice(0, 2).map((metric) => curve(metric, families));
  };

  function amount(attack) {
    const others = Object.keys(attack.options).filter((name) => name !== "seconds");
    if (others.length) return null;
    return attack.options.seconds === undefined ? UNSAID[attack.name] ?? null : Number(attack.options.seconds);
  }

  function curve(metric, families) {
    const score = ({ effects }) => effects[metric].value ?? effects[metric].high;
    const own = sj.data.report.metrics[metric];
    const start = own.value ?? own.high;
    const open = [own, ...families.flatMap(({ tried }) => tried.map(({ effects }) => effects[metric]))].some((of) => of && typeof of.value !== "number" && typeof of.high === "number");
    const amounts = [...new Set([0, ...families.flatMap(({ tried }) => tried.map(amount))])].sort((a, b) => a - b);
    const at = (tried, x) => {
      const found = tried.find((attack) => amount(attack) === x && attack.effects[metric]);
      return found ? score(found) : x === 0 ? start : null;
    };
    const series = families.map(({ name, tried }, i) => ({
      label: name,
      kind: KINDS[i],
      values: amounts.map((x) => at(tried, x)),
    }));
    return sj.chart({
      title: metric + " as times are moved",
      note: "score by seconds of shift, jitter or rounding; a steep fall is a metric that insists on boundaries" + (open ? "; the upper bound where verdicts are unknown" : ""),
      x: amounts,
      series,
      lines: true,
      range: [0, 1],
      y: (value) => value.toFixed(1),
      tick: (x) => x + " s",
      columns: [["seconds", true], ...families.map(({ name }) => [name, true])],
      rows: amounts.map((x, i) => [String(x), ...series.map(({ values }) => sj.number(values[i]))]),
    });
  }
})((globalThis.segjudge ??= {}));
