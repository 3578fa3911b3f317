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
// Paper cannot be unfolded.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
