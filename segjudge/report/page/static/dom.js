// Elements and numbers. Text goes in as text nodes only; nothing here reads markup.
"use strict";

(function (sj) {
  // Make an element: el("td", { class: "number", onclick: f }, "text", child, null).
  sj.el = function (tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
    return sj.add(element, ...children);
  };

  sj.add = function (element, ...children) {
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return element;
  };

  // Text of a file or a model: shown as it is, with its own direction.
  sj.text = function (text, tag) {
    return sj.el(tag || "span", { class: "text", dir: "auto" }, visible(text));
  };

  // Spell out control characters, which would otherwise be invisible or turn text around.
  function visible(text) {
    return String(text).replace(
      /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
      (c) => "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0"),
    );
  }
  sj.visible = visible;

  sj.svg = function (tag, properties) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(properties || {})) element.setAttribute(name, value);
    return element;
  };

  // Place something by percentages: style attributes are forbidden, the properties aren't.
  sj.place = function (element, left, width) {
    element.style.setProperty("left", left + "%");
    if (width !== undefined) element.style.setProperty("width", width + "%");
    return element;
  };

  const missing = (value) => value === null || value === undefined || Number.isNaN(value);

  sj.number = (value, digits = 4) => (missing(value) ? "–" : value.toFixed(digits));
  sj.signed = function (value, digits = 4) {
    if (missing(value)) return "–";
    const text = Math.abs(value).toFixed(digits);
    if (Number(text) === 0 && value !== 0) return (value < 0 ? "−" : "+") + "<" + 10 ** -digits;
    return (value < 0 ? "−" : "+") + text;
  };
  sj.percent = (value) => (missing(value) ? "–" : (100 * value).toFixed(0) + " %");
  sj.count = (value) => (missing(value) ? "–" : value.toLocaleString("en"));
  sj.plural = (n, one, many) => sj.count(n) + " " + (n === 1 ? one : many || one + "s");

  // Microseconds as seconds, or as minutes where they are many.
  sj.seconds = function (us, digits = 2) {
    if (missing(us)) return "–";
    return (us / 1e6).toFixed(digits) + " s";
  };
  sj.clock = function (us, digits = 2) {
    const sign = us < 0 ? "−" : "";
    const total = Math.abs(us) / 1e6;
    if (total < 60) return sign + total.toFixed(digits);
    const minutes = Math.floor(total / 60);
    const rest = (total - 60 * minutes).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
    if (minutes < 60) return sign + minutes + ":" + rest;
    return sign + Math.floor(minutes / 60) + ":" + String(minutes % 60).padStart(2, "0") + ":" + rest;
  };

  // A table: columns are [heading, isNumber]; a row is a list of cells (text or nodes).
  sj.table = function (columns, rows, properties) {
    const head = columns.map(([name, isNumber]) =>
      sj.el("th", { scope: "col", class: isNumber ? "number" : null }, name),
    );
    const body = rows.map((cells) =>
      sj.el(
        "tr",
        null,
        cells.map((cell, i) => sj.el("td", { class: columns[i][1] ? "number" : null }, cell)),
      ),
    );
    return sj.el(
      "div",
      { class: "scroll" },
      sj.el("table", properties, sj.el("thead", null, sj.el("tr", null, head)), sj.el("tbody", null, body)),
    );
  };

  // What a verdict is called, and its chip: a mark and words, so colour is never all there is.
  sj.chip = function (said) {
    return sj.el(
      "span",
      { class: "chip " + said.kind },
      sj.el("span", { class: "mark", "aria-hidden": "true" }, sj.marks[said.kind]),
      said.words,
    );
  };
  sj.marks = { same: "=", step: "⊂", different: "≠", unknown: "?" };
})((globalThis.segjudge ??= {}));
