// Draw the report. Episodes are drawn when they are opened.
"use strict";

(function (sj) {
  sj.load("data");
  const part = (id) => document.getElementById(id);
  sj.summary(part("summary"));
  sj.weighed(part("weighed"));
  sj.episodes(part("episodes"));
  sj.charts(part("charts"));
})((globalThis.segjudge ??= {}));
