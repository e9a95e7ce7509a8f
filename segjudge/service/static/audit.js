// The blind audit: two labels, four keys. What the judge said is known here only after the answer.
"use strict";

(async function (sj) {
  const id = sj.id(), path = "/v1/audits/" + encodeURIComponent(id);
  const ANSWERS = [
    ["same", "Same activity"],
    ["left_in_right", "Left is a step of right"],
    ["right_in_left", "Right is a step of left"],
    ["different", "Different"],
  ];
  const WORDS = Object.fromEntries(ANSWERS.map(([name, words]) => [name, words.toLowerCase()]));
  const KINDS = { same: "same", different: "different", left_in_right: "step", right_in_left: "step" };

  const count = sj.el("p", { id: "count", class: "muted" });
  const left = sj.el("div", { class: "card side", id: "left" });
  const right = sj.el("div", { class: "card side", id: "right" });
  const context = sj.el("p", { id: "context" });
  const buttons = ANSWERS.map(([name, words], i) =>
    sj.el("button", { type: "button", onclick: () => say(name) }, words, sj.el("kbd", null, i + 1)),
  );
  const back = sj.el("button", { type: "button", id: "undo", onclick: undo }, "Undo ", sj.el("kbd", null, "U"));
  const item = sj.el(
    "section", { id: "item", "aria-label": "Label pair" },
    sj.el("div", { class: "sides" }, left, right), context, sj.el("div", { class: "answers" }, buttons),
  );
  item.style.setProperty("display", "grid");
  item.style.setProperty("gap", "1rem");
  const revealed = sj.el("section", { id: "revealed", "aria-live": "polite" });
  const standing = sj.el("section", { class: "card", id: "standing", "aria-label": "How it stands" });
  const score = sj.el("section", { class: "card", id: "score", "aria-label": "Score" });
  sj.main.append(sj.el("h1", null, "Audit"), count, item, sj.el("div", { class: "actions" }, back), revealed, standing, score);

  let audit = null, shown = null, busy = true;

  // Show the next pair. All at once, and only then is a key taken: nobody judges what isn't there.
  async function next(found, revealing) {
    const pair = found.next === null ? null : await sj.ask("GET", path + "/items/" + found.next);
    audit = found;
    shown = audit.next;
    if (revealing) revealed.replaceChildren(...revealing);
    count.replaceChildren(sj.count(audit.said) + " of " + sj.count(audit.size) + " judged by ", sj.text(audit.name));
    back.disabled = audit.last === null;
    const random = audit.outcome.random, kappa = audit.outcome.agreement.verdict.kappa;
    standing.replaceChildren(
      sj.facts([
        ["random pairs", sj.count(random.said) + " of " + sj.count(random.items) + ", " + sj.count(random.equal) + " as the judge"],
        ["kappa", sj.el("span", { id: "kappa" }, estimate(kappa))],
        ["pairs that weigh most", sj.count(audit.outcome.influence.said) + " of " + sj.count(audit.outcome.influence.items) + ", " + sj.count(audit.outcome.influence.equal) + " as the judge"],
      ]),
      sj.el("p", { class: "muted" }, "Kappa is of the random pairs alone, each as first judged."),
    );
    item.hidden = shown === null;
    if (pair === null) sj.add(count, ". That is all.");
    else {
      left.replaceChildren(sj.el("small", null, "left"), sj.text(pair.left));
      right.replaceChildren(sj.el("small", null, "right"), sj.text(pair.right));
      context.replaceChildren(...(pair.context ? ["Context: ", sj.text(pair.context)] : []));
    }
    busy = false;
    figures();
  }

  function estimate(found) {
    if (found.value === null) return "none yet" + (found.reason ? ": " + found.reason : "");
    if (found.low === null) return sj.number(found.value, 2) + (found.reason ? " (" + found.reason + ")" : "");
    return sj.number(found.value, 2) + " (95 %: " + sj.number(found.low, 2) + " to " + sj.number(found.high, 2) + ")";
  }

  async function guarded(work) {
    if (busy) return;
    busy = true;
    try {
      await work();
    } catch (error) {
      sj.refused(revealed, error);
      busy = false;
    }
  }

  function say(verdict) {
    return guarded(async () => {
      if (shown === null) { busy = false; return; }
      const found = await sj.ask("PUT", path + "/items/" + shown, { verdict });
      const chip = (name) => sj.chip({ kind: KINDS[name] || "unknown", words: WORDS[name] || name.replaceAll("_", " ") });
      const told = sj.el(
        "div", { class: "notice" + (found.said === found.verdict ? "" : " warning") },
        sj.el("div", null, sj.text(left.lastChild.textContent), " / ", sj.text(right.lastChild.textContent)),
        sj.el("div", null, "You: ", chip(found.said), " Judge: ", chip(found.verdict), " ", sj.text(found.judge)),
        found.rationale ? sj.el("div", { class: "muted" }, sj.text(found.rationale)) : null,
      );
      await next(found.audit, [told]);
    });
  }

  function undo() {
    return guarded(async () => {
      if (audit.last === null) { busy = false; return; }
      const found = await sj.ask("DELETE", path + "/items/" + audit.last);
      await next(found, []);
    });
  }

  // The figures with what was said so far; asked for again while answers come in.
  let asking = false, again = false;
  async function figures() {
    if (asking) { again = true; return; }
    asking = true;
    try {
      const found = await sj.ask("GET", "/v1/runs/" + encodeURIComponent(audit.run) + "/figures");
      score.replaceChildren(
        sj.el("h2", null, "Score"), sj.figures(found),
        sj.el("p", null, sj.el("a", { href: "/runs/" + encodeURIComponent(audit.run) }, "To the run")),
      );
    } catch (error) {
      sj.refused(score, error);
    }
    asking = false;
    if (again) { again = false; figures(); }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (["1", "2", "3", "4"].includes(event.key)) say(ANSWERS[Number(event.key) - 1][0]);
    else if (event.key === "u" || event.key === "U") undo();
    else return;
    event.preventDefault();
  });

  try {
    await next(await sj.ask("GET", path));
  } catch (error) {
    sj.refused(revealed, error);
  }
})(globalThis.segjudge);
