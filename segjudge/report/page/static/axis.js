// The time axis of an episode, and its segments as a table.
"use strict";

(function (sj) {
  const { el, text, clock, seconds } = sj;
  const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];
  const APART = 84; // pixels from one tick to the next, at least
  const LETTER = 7.5; // pixels of a figure, at most
  const MOST = 4000;

  // An episode on an epoch's clock is shown from its first segment on.
  const shift = (episode) => (Math.abs(episode.origin) > 86400e6 ? 0 : episode.origin);

  sj.ticks = function (axis, episode, scale) {
    const span = episode.end - episode.start;
    const wanted = Math.max(APART / scale, span / MOST) / 1e6;
    const step = (STEPS.find((each) => each >= wanted) || Math.ceil(wanted / 14400) * 14400) * 1e6;
    const digits = step < 1e6 ? 1 : 0;
    const ticks = [];
    for (let time = Math.ceil(episode.start / step) * step; time < episode.end; time += step) {
      const words = clock(time + shift(episode), digits) + (Math.abs(time + shift(episode)) < 60e6 ? " s" : "");
      // A time that would reach beyond the end is left out, not cut off.
      const fits = (episode.end - time) * scale > 8 + LETTER * words.length;
      ticks.push(sj.place(el("span", null, fits ? words : null), (100 * (time - episode.start)) / span));
    }
    axis.replaceChildren(...ticks);
  };

  // A row a reference segment and counterpart, then the predicted segments that meet nothing.
  sj.segmentTable = function (state) {
    const { episode } = state;
    const at = (segment) => clock(segment.start + shift(episode)) + " – " + clock(segment.end + shift(episode));
    const track = (segment) => sj.visible(sj.data.tracks[segment.track]);
    const label = (segment) => (segment.text ? text(segment.text) : "(empty label)");
    const rows = [];
    for (const segment of episode.sides.reference) {
      const lead = [track(segment), at(segment), label(segment)];
      if (!segment.pairs.length) rows.push([...lead, "–", "nothing", "–", "–"]);
      for (const pair of segment.pairs) {
        rows.push([...lead, at(pair.prediction), label(pair.prediction), sj.chip(pair.said), seconds(pair.overlap)]);
      }
    }
    for (const segment of episode.sides.prediction) {
      if (!segment.pairs.length) rows.push([track(segment), "–", "nothing", at(segment), label(segment), "–", "–"]);
    }
    return sj.table(
      [["Track"], ["Time", true], ["Reference"], ["Time", true], ["Predicted"], ["Verdict"], ["Overlap", true]],
      rows,
      { "aria-label": "Segments of " + sj.visible(episode.id) },
    );
  };
})((globalThis.segjudge ??= {}));
