// One run: live progress, then its figures, the report and the audit.
"use strict";

(async function (sj) {
  const id = sj.id(), path = "/v1/runs/" + encodeURIComponent(id);
  const title = sj.el("h1", null, "Run");
  const bar = sj.el("progress", { max: 1, "aria-label": "Label pairs decided" });
  const counts = sj.el("div", { id: "counts" });
  const progress = sj.el("section", { class: "card", "aria-label": "Progress", "aria-live": "polite" }, counts, bar);
  const result = sj.el("div", { id: "result" });
  sj.main.append(title, progress, result);

  const first = await sj.ask("GET", path).catch((error) => sj.refused(result, error));
  if (!first) return;
  title.replaceChildren(sj.text(first.names.prediction + " against " + first.names.reference));
  const drop = sj.el("button", { type: "button", id: "cancel", onclick: cancel }, "Cancel");
  progress.append(sj.el("div", { class: "actions" }, drop));

  function show(news) {
    const known = news.total > 0;
    if (known) {
      bar.max = news.total;
      bar.value = (news.decided || 0) + (news.failed || 0);
    } else bar.removeAttribute("value");
    counts.replaceChildren(
      sj.facts([
        ["state", sj.state(news.state)],
        ...(news.stage && news.state === "running" ? [["doing", news.stage]] : []),
        ...(known ? [["decided", sj.el("span", { id: "decided" }, sj.count(news.decided || 0) + " of " + sj.count(news.total))]] : []),
        ...(news.calls ? [["calls", sj.count(news.calls)], ["tokens", sj.count(news.tokens)], ["cost", sj.usd(news.cost_usd)]] : []),
        ...(news.failed ? [["failed", sj.count(news.failed)]] : []),
      ]),
    );
  }

  async function cancel() {
    drop.disabled = true;
    await sj.ask("DELETE", path).catch((error) => sj.refused(result, error));
  }

  const source = new EventSource(path + "/events");
  source.addEventListener("progress", (event) => show(JSON.parse(event.data)));
  source.addEventListener("end", (event) => {
    source.close();
    const news = JSON.parse(event.data);
    show(news);
    if (!news.total) bar.value = bar.max;
    drop.parentElement.remove();
    ended(news).catch((error) => sj.refused(result, error));
  });

  async function ended(news) {
    const parts = [];
    if (news.message) parts.push(sj.el("div", { class: "notice warning" }, sj.el("b", null, news.state), " ", sj.text(news.message)));
    if (news.state === "done" || news.state === "stopped") {
      const found = await sj.ask("GET", path + "/figures");
      parts.push(
        sj.el(
          "section", { class: "card", id: "figures", "aria-label": "Figures" }, sj.figures(found),
          sj.el("p", null, sj.el("a", { id: "report", href: path + "/report.html" }, "Read the report")),
        ),
        audit(),
      );
    }
    result.replaceChildren(...parts);
    result.style.setProperty("display", "grid");
    result.style.setProperty("gap", "1.25rem");
  }

  function audit() {
    const name = sj.el("input", { name: "name", required: true, maxlength: 100, autocomplete: "name" });
    const size = sj.el("input", { name: "size", type: "number", value: 40, min: 1, max: 2000 });
    const refused = sj.el("div");
    async function begin(event) {
      event.preventDefault();
      try {
        const made = await sj.ask("POST", path + "/audits", { name: name.value, size: Number(size.value) });
        location.assign("/audits/" + encodeURIComponent(made.id));
      } catch (error) {
        sj.refused(refused, error);
      }
    }
    return sj.el(
      "form", { class: "card", id: "audit", onsubmit: begin },
      sj.el("h2", null, "Audit the judge"),
      sj.el("p", { class: "muted" }, "Judge label pairs yourself, without seeing what the judge said. Your verdicts win."),
      sj.el("div", { class: "row" }, sj.field("Your name", name), sj.field("Label pairs", size), sj.el("button", { type: "submit" }, "Begin")),
      refused,
    );
  }
})(globalThis.segjudge);
