// Asking the service, and showing what it refuses.
"use strict";

(function (sj) {
  sj.main = document.getElementById("main");
  sj.id = () => decodeURIComponent(location.pathname.split("/").pop());

  // Ask; the answer as JSON. What is refused is thrown, with each problem named.
  sj.ask = async function (method, path, body) {
    const options = { method, headers: {}, credentials: "same-origin" };
    if (body instanceof FormData) options.body = body;
    else if (body !== undefined) {
      options.headers["Content-Type"] = "application/json";
      options.body = JSON.stringify(body);
    }
    const reply = await fetch(path, options);
    if (reply.status === 401) location.assign("/login");
    const said = reply.status === 204 ? null : await reply.json();
    if (!reply.ok) throw Object.assign(new Error(said.detail), { problems: said.problems });
    return said;
  };

  // Put a refusal into an element.
  sj.refused = function (place, error) {
    const problems = error.problems || [];
    const listed = problems.length
      ? sj.el("ul", { class: "problems" }, problems.map((each) => sj.el("li", null, sj.text(each.message))))
      : sj.text(error.message);
    place.replaceChildren(sj.el("div", { class: "notice warning", role: "alert" }, sj.el("b", null, "Refused"), listed));
  };

  sj.state = (state) => sj.el("span", { class: "chip state " + state }, state);

  // A value, or its bounds.
  sj.figure = function (figures) {
    if (!figures) return "–";
    if (figures.value !== null) return sj.number(figures.value);
    if (figures.low === null || figures.low === undefined) return "–";
    return sj.number(figures.low) + " to " + sj.number(figures.high);
  };

  sj.usd = (value) => (value === null || value === undefined ? "unknown" : "$" + value.toFixed(4));

  sj.facts = function (pairs) {
    const parts = pairs.map(([name, value]) => sj.el("div", null, sj.el("dt", null, name), sj.el("dd", null, value)));
    return sj.el("dl", { class: "facts" }, parts);
  };

  sj.field = (name, control) => sj.el("label", { class: "field" }, name, control);

  // Each metric, with and without what people say.
  sj.figures = function (found) {
    const without = Object.keys(found.without_human || {}).length > 0;
    const columns = [["metric"], ["value", true], ...(without ? [["without people", true]] : [])];
    const rows = Object.entries(found.metrics).map(([name, own]) => [
      sj.text(name),
      sj.el("span", { class: "value", "data-metric": name }, sj.figure(own)),
      ...(without ? [sj.figure(found.without_human[name])] : []),
    ]);
    return sj.table(columns, rows);
  };
})((globalThis.segjudge ??= {}));
