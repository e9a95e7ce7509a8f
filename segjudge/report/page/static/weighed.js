// The judgments that matter most: what the score would be if one of them were the other way.
"use strict";

(function (sj) {
  const { el, text } = sj;
  const FIRST = 12;

  sj.weighed = function (root) {
    const { weighed } = sj.data;
    const n = weighed.row.length;
    const metrics = Object.keys(weighed.low);
    if (!metrics.length) return;
    sj.add(
      root,
      el("h2", null, "Judgments that matter most"),
      el(
        "p",
        { class: "muted" },
        n
          ? "How much each metric would change if this one verdict were the other way: " +
              sj.plural(weighed.matter, "verdict") + " would change something" +
              (weighed.matter > n ? ", the first " + n + " are here; segjudge audit writes them all." : ".")
          : "No single verdict would change a metric.",
      ),
    );
    if (!n) return;
    const place = el("div");
    const show = (count) => place.replaceChildren(table(Math.min(count, n), metrics));
    show(FIRST);
    const more = el("button", { type: "button", class: "more screen-only", hidden: n <= FIRST }, "Show all " + n);
    more.addEventListener("click", () => (show(n), more.remove()));
    sj.add(root, place, more);
  };

  function table(count, metrics) {
    const { weighed, verdicts, labels } = sj.data;
    const rows = [];
    for (let i = 0; i < count; i++) {
      const said = sj.verdict(weighed.row[i]);
      const pair = ["a", "b"].map((side) => labels[verdicts[side][weighed.row[i]]]);
      rows.push([
        pair.map((label) => el("div", null, el("button", { class: "plain", type: "button", title: "Show the episodes with this label", onclick: () => sj.filterBy(label) }, label ? text(label) : "(empty label)"))),
        [sj.chip({ ...said, words: NAMES[said.name] || said.words }), said.context ? el("div", null, el("small", null, "context: ", text(said.context))) : null],
        el("span", null, sj.who(said), said.rationale ? el("div", null, el("small", null, text(said.rationale))) : null),
        ...metrics.map((name) => change(weighed.low[name][i], weighed.high[name][i])),
        sj.count(weighed.occurrences[i]),
        weighed.seconds[i].toFixed(1) + " s",
      ]);
    }
    const heads = [["Labels"], ["Verdict"], ["Said by"], ...metrics.map((name) => [name, true]), ["Times", true], ["Overlap", true]];
    return sj.table(heads, rows, { class: "weighed" });
  }

  // Here the two labels stand one above the other, so directions are said of those.
  const NAMES = { a_in_b: "upper is a step of lower", b_in_a: "lower is a step of upper" };

  function change(low, high) {
    if (low === null) return "–";
    if (low === high) return sj.signed(low);
    return el("span", { title: "lower bound; upper bound" }, sj.signed(low), "; ", sj.signed(high));
  }
})((globalThis.segjudge ??= {}));
