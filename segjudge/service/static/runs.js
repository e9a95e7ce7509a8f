// The runs, the newest first; those that go on are looked at again.
"use strict";

(async function (sj) {
  const place = sj.el("section", { class: "card", "aria-label": "Runs" });
  sj.main.append(sj.el("h1", null, "Runs"), place);

  function row(run) {
    const headline = Object.entries(run.summary).map(([name, own]) => name + " " + sj.figure(own));
    const going = run.state === "running" && run.progress.total
      ? " " + sj.count(run.progress.decided) + " of " + sj.count(run.progress.total)
      : "";
    return [
      sj.el("a", { href: "/runs/" + encodeURIComponent(run.id) }, sj.text(run.names.prediction || run.id)),
      sj.text(run.names.reference || ""),
      sj.el("span", null, sj.state(run.state), going),
      sj.text(headline.join(", ") || run.message),
      run.created.slice(0, 16).replace("T", " "),
    ];
  }

  async function show() {
    const { runs } = await sj.ask("GET", "/v1/runs");
    const columns = [["prediction"], ["reference"], ["state"], ["figures"], ["created (UTC)"]];
    place.replaceChildren(
      runs.length
        ? sj.table(columns, runs.map(row))
        : sj.el("p", null, "No runs yet. ", sj.el("a", { href: "/new" }, "Start one")),
    );
    if (runs.some((run) => run.state === "running" || run.state === "queued")) setTimeout(show, 1500);
  }
  show().catch((error) => sj.refused(place, error));
})(globalThis.segjudge);
