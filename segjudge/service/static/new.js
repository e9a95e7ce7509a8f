// The form to start a run: what it would cost is shown before anything can be spent.
"use strict";

(async function (sj) {
  const about = await sj.ask("GET", "/v1/about");
  const file = (name, needed) => sj.el("input", { type: "file", name, required: needed });
  const choice = (name, options) =>
    sj.el("select", { name }, options.map(([value, text]) => sj.el("option", { value }, text)));
  const checks = about.metrics.map((metric) =>
    sj.el(
      "label",
      { title: metric.about },
      sj.el("input", {
        type: "checkbox", name: "metric", value: metric.name,
        checked: about.default_metrics.some((name) => name.split("@")[0] === metric.name),
      }),
      metric.name,
    ),
  );
  const planned = sj.el("div", { id: "plan", "aria-live": "polite" });
  const start = sj.el("button", { type: "button", id: "start", class: "primary", disabled: true, onclick: go }, "Start");
  const models = [["", "nobody: judgments only"], ...about.models.map((name) => [name, name])];
  const form = sj.el(
    "form",
    { class: "card", id: "new", onsubmit: plan, oninput: stale },
    sj.el(
      "div", { class: "row" },
      sj.field("Reference", file("reference", true)),
      sj.field("Prediction", file("prediction", true)),
      sj.field("Recorded judgments", file("judgments", false)),
    ),
    sj.el(
      "div", { class: "row" },
      sj.field("Task", choice("task", about.tasks.map((name) => [name, name]))),
      sj.field("Judge to ask", choice("model", models)),
      sj.field("Prompt", choice("prompt", [["", "default"], ...about.prompts.map((name) => [name, name])])),
      sj.field("Votes", sj.el("input", { type: "number", name: "votes", value: 1, min: 1, max: 99 })),
    ),
    sj.el(
      "fieldset", null, sj.el("legend", { class: "muted" }, "Metrics"),
      sj.el("div", { class: "checks" }, checks),
    ),
    planned,
    sj.el("div", { class: "actions" }, sj.el("button", { type: "submit", id: "ask-plan" }, "Plan"), start),
  );
  if (about.models.length) form.elements.model.value = about.models[0];
  sj.main.append(sj.el("h1", null, "New run"), form);

  function asked() {
    const own = form.elements;
    const options = { task: own.task.value, votes: Number(own.votes.value) };
    options.metrics = [...form.querySelectorAll("input[name=metric]:checked")].map((box) => box.value);
    if (own.model.value) options.model = own.model.value;
    if (own.prompt.value) options.prompt = own.prompt.value;
    const body = new FormData();
    for (const role of ["reference", "prediction", "judgments"]) {
      if (own[role].files.length) body.append(role, own[role].files[0]);
    }
    body.append("options", JSON.stringify(options));
    return body;
  }

  // What was planned holds only for what is in the form.
  function stale() {
    start.disabled = true;
    planned.replaceChildren();
  }

  async function plan(event) {
    event.preventDefault();
    stale();
    planned.replaceChildren(sj.el("p", { class: "muted" }, "Reading the files …"));
    try {
      const found = await sj.ask("POST", "/v1/plan", asked());
      const paid = found.calls !== null;
      planned.replaceChildren(
        sj.facts([
          ["label pairs", sj.count(found.needed)],
          ["known", sj.count(found.needed - found.to_ask)],
          ["to ask", sj.count(found.to_ask)],
          ...(paid ? [["calls", sj.count(found.calls)], ["tokens, about", sj.count(found.tokens)], ["cost, about", sj.usd(found.cost_usd)]] : []),
        ]),
        sj.el("p", { class: "muted" }, paid ? "Nothing is spent before you start." : "Nobody is asked, so this costs nothing."),
      );
      start.disabled = false;
    } catch (error) {
      sj.refused(planned, error);
    }
  }

  async function go() {
    start.disabled = true;
    try {
      const run = await sj.ask("POST", "/v1/runs", asked());
      location.assign("/runs/" + encodeURIComponent(run.id));
    } catch (error) {
      sj.refused(planned, error);
    }
  }
})(globalThis.segjudge);
