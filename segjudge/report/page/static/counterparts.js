// A chosen segment: its counterparts with overlap, IoU, verdict, rationale and who said so.
"use strict";

(function (sj) {
  const { el, text, clock, seconds } = sj;
  const OTHER = { reference: "prediction", prediction: "reference" };

  // Draw the panel of a segment; `matched` is its partner of the metric shown, `choose` follows a link.
  sj.counterparts = function (segment, episode, metric, matched, choose) {
    const pairs = [...segment.pairs].sort((a, b) => b.overlap - a.overlap);
    const other = OTHER[segment.side];
    return el(
      "div",
      { class: "card counterparts" },
      el(
        "div",
        null,
        el("p", { class: "muted" }, "Chosen: " + segment.side + trackText(segment), ", ", span(segment, episode)),
        el("p", { class: "label" }, segment.text ? text(segment.text) : "(empty label)"),
        el("p", null, credited(segment, metric, matched)),
      ),
      pairs.length
        ? sj.table(
            [["Verdict"], [other === "prediction" ? "Predicted" : "Reference"], ["From – to", true], ["Overlap", true], ["IoU", true], ["Said by"], ["Why"]],
            pairs.map((pair) => row(pair, pair[other], matched, episode, choose)),
            { "aria-label": "Counterparts in the " + other },
          )
        : el("p", { class: "none" }, "Nothing in the " + other + " overlaps it" + (segment.length ? "." : ": it has no length.")),
    );
  };

  function row(pair, segment, matched, episode, choose) {
    return [
      [sj.chip(pair.said), matched === segment ? el("div", null, el("small", null, "matched one to one")) : null],
      el("button", { class: "plain", onclick: () => choose(segment) }, segment.text ? text(segment.text) : "(empty label)"),
      span(segment, episode),
      seconds(pair.overlap),
      pair.iou.toFixed(3),
      who(pair.said),
      pair.said.rationale ? text(pair.said.rationale) : "–",
    ];
  }

  const BY = {
    identity: "rule: equal labels",
    rule: "rule: empty label",
    verb: "verb list",
    unknown: "nobody yet",
    "": "not asked: no metric needs it",
  };

  // Who decided, in words; the name only where there is one.
  function who(said) {
    const name = said.judge ? text(said.judge) : null;
    const prompt = said.prompt ? el("small", null, " ", text(said.prompt)) : null;
    if (!name) return BY[said.by] || said.by;
    const how = { human: "a person: ", recorded: "", model: "asked now: ", verb: "verb list: " }[said.by];
    return el("span", null, how || "", name, prompt);
  }
  sj.who = who;

  function credited(segment, metric, matched) {
    const parts = [];
    if (sj.data.creditedBy) {
      const share = segment.length ? " (" + sj.percent(segment.credit / segment.length) + ")" : "";
      parts.push(seconds(segment.credit) + " of " + seconds(segment.length) + " credited" + share);
      if (segment.open) parts.push(seconds(segment.open) + " more if unknown answers are yes");
    }
    if (metric) parts.push(matched ? "matched one to one in " + metric : "without a match in " + metric);
    return parts.join("; ") + (parts.length ? "." : "");
  }

  const trackText = (segment) => {
    const name = sj.data.tracks[segment.track];
    return name ? " (" + sj.visible(name) + ")" : "";
  };

  function span(segment, episode) {
    const at = (time) => clock(time + (episode.origin > 86400e6 ? 0 : episode.origin));
    const words = at(segment.start) + " – " + at(segment.end);
    return words.includes(":") ? words : words + " s";
  }

  sj.describe = function (segment) {
    const credit = sj.data.creditedBy && segment.length ? ", " + sj.percent(segment.credit / segment.length) + " credited" : "";
    return segment.side + ", " + clock(segment.start) + " to " + clock(segment.end) + " s, " + sj.visible(segment.text) + credit;
  };
})((globalThis.segjudge ??= {}));
