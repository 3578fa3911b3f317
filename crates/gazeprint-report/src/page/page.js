"use strict";
// Click on the head of a column sorts by it; again, the other way round.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const heads = [...table.querySelectorAll("th[data-column]")];
  for (const head of heads) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(head));
  }
  function sort(head) {
    const column = Number(head.dataset.column);
    const numbers = head.classList.contains("n");
    // Numbers start with the largest, words with the first.
    const down = head.ariaSort ? head.ariaSort === "ascending" : numbers;
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => {
      const cell = row.cells[column];
      return { row, key: numbers ? parseFloat(cell.dataset.key) : cell.textContent };
    });
    rows.sort((a, b) => {
      // What is missing stays at the end.
      const missing = Number(Number.isNaN(a.key)) - Number(Number.isNaN(b.key));
      if (numbers && missing) return missing;
      const order = numbers ? a.key - b.key || 0 : a.key.localeCompare(b.key, "en");
      return down ? -order : order;
    });
    body.append(...rows.map((entry) => entry.row));
    // Rules between methods make no sense in another order.
    for (const { row } of rows) row.classList.remove("new");
  }
}
// Methods can be left out, of figures and tables alike.
const switches = document.getElementById("methods");
if (switches) {
  switches.hidden = false;
  const show = () => {
    const off = new Set([...switches.querySelectorAll("input:not(:checked)")].map((box) => box.value));
    for (const part of document.querySelectorAll("[data-method]")) {
      const { method, other } = part.dataset;
      part.classList.toggle("off", off.has(method) || off.has(other));
    }
    leave();
  };
  switches.addEventListener("change", show);
  // Browsers remember what was chosen when a page is loaded anew.
  addEventListener("pageshow", show);
}
// Another reader can be chosen.
const choice = document.getElementById("choice");
if (choice) {
  choice.hidden = false;
  const list = choice.querySelector("select");
  const readers = document.querySelectorAll(".reader");
  const show = () => readers.forEach((reader, i) => { reader.hidden = i !== list.selectedIndex; });
  list.addEventListener("change", show);
  addEventListener("pageshow", show);
}
// Figures say their numbers: under the pointer, or by the arrow keys.
const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
tip.setAttribute("role", "status");
document.body.append(tip);
// How near a point has to be, in units of the drawing.
const near = 12;
let ring = null;
function leave() {
  tip.hidden = true;
  ring?.remove();
}
function circle(figure, { x, y }) {
  ring ??= document.createElementNS(figure.namespaceURI, "circle");
  for (const [name, value] of Object.entries({ class: "ring", cx: x, cy: y, r: 3 })) {
    ring.setAttribute(name, value);
  }
  figure.append(ring);
}
// The series of a figure that are shown, each with its points.
function series(figure) {
  figure.series ??= [...figure.querySelectorAll("[data-points]")].map((group) => {
    const points = group.dataset.points.split(";").map((point) => {
      const [x, y, ...values] = point.split("|");
      return { x: Number(x), y: Number(y), values };
    });
    const { method, label, names } = group.dataset;
    return { group, points, names: names.split("|"), title: [method, label].filter(Boolean).join(", ") };
  });
  return figure.series.filter(({ group }) => !group.closest(".off"));
}
function say(figure, one, point) {
  const title = document.createElement("b");
  title.textContent = one.title;
  tip.replaceChildren(title);
  one.names.forEach((name, i) => {
    const text = point.values[i];
    if (!text) return;
    // Axes in percent show parts of one; tables have these as they are.
    const percent = name.includes("(%");
    const value = percent ? Number((100 * text).toPrecision(6)) : text;
    const line = document.createElement("div");
    const plain = name.replace(/ \(%\)$/, "");
    line.textContent = `${plain}: ${value}${plain === name ? "" : " %"}`;
    tip.append(line);
  });
  circle(figure, point);
  tip.hidden = false;
  const at = new DOMPoint(point.x, point.y).matrixTransform(figure.getScreenCTM());
  const beside = at.x + 14 + tip.offsetWidth < document.documentElement.clientWidth;
  const left = beside ? at.x + 14 : Math.max(4, at.x - 14 - tip.offsetWidth);
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${Math.max(4, at.y - tip.offsetHeight - 10) + scrollY}px`;
}
for (const figure of document.querySelectorAll("figure .card svg")) {
  if (!figure.querySelector("[data-points]")) continue;
  figure.setAttribute("tabindex", "0");
  figure.addEventListener("pointermove", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(figure.getScreenCTM().inverse());
    let best = null;
    for (const one of series(figure)) {
      for (const point of one.points) {
        const far = Math.hypot(point.x - at.x, point.y - at.y);
        if (far < (best?.far ?? near)) best = { one, point, far };
      }
    }
    if (best) say(figure, best.one, best.point);
    else leave();
  });
  figure.addEventListener("pointerleave", leave);
  figure.addEventListener("blur", leave);
  let place = [0, 0];
  const step = (down, right) => {
    const all = series(figure);
    if (!all.length) return;
    const wrap = (i, n) => (i + n) % n;
    place[0] = wrap(place[0] + down, all.length);
    const one = all[place[0]];
    place[1] = right ? wrap(place[1] + right, one.points.length) : Math.min(place[1], one.points.length - 1);
    say(figure, one, one.points[place[1]]);
  };
  const keys = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0], Enter: [0, 0] };
  figure.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return leave();
    const move = keys[event.key];
    if (!move) return;
    event.preventDefault();
    step(...move);
  });
}
// Paper cannot be unfolded.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
