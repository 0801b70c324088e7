"use strict";
// What a page can do besides being read: its tables are sorted and filtered, its papers are searched.
// It is whole without this script, which fetches nothing and is pinned by its hash.
(() => {
  const FEW = 3;
  const MANY = 20;
  const text = (element) => element.textContent.trim().toLowerCase();

  function number(cell) {
    if (cell.dataset.value) return Number(cell.dataset.value);
    const plain = text(cell).replace(/[\u00a0\u2009\u202f]/g, "").replace(/\u2212/g, "-").replace(/,(?=\d{3})/g, "");
    const match = plain.match(/^[\u003c\u003e~]?(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)/);
    return match ? Number(match[1]) : NaN;
  }

  // Rows without a number stand last, whichever way the others go.
  function by(column, direction) {
    return (one, other) => {
      const cells = [one.cells[column], other.cells[column]];
      const [first, second] = cells.map(number);
      if (isNaN(first) !== isNaN(second)) return isNaN(first) ? 1 : -1;
      const words = () => text(cells[0]).localeCompare(text(cells[1]), "en", { numeric: true });
      return direction * (isNaN(first) ? words() : first - second);
    };
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const upwards = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
        body.append(...[...body.rows].sort(by(column, upwards ? 1 : -1)));
      });
    });
  }

  // A field with a label, and a line that says what is left; `look` gets the words and returns that line.
  function searchField(label, look) {
    const box = document.createElement("p");
    const field = document.createElement("input");
    const named = document.createElement("label");
    const told = document.createElement("span");
    box.className = "search";
    field.type = "search";
    told.setAttribute("role", "status");
    named.append(`${label} `, field);
    box.append(named, " ", told);
    field.addEventListener("input", () => {
      told.textContent = look(field.value.trim().toLowerCase().split(/\s+/).filter(Boolean));
    });
    return box;
  }

  const has = (words) => (element) => words.every((word) => text(element).includes(word));

  function makeFilterable(table) {
    const rows = [...table.tBodies[0].rows];
    const look = (words) => {
      rows.forEach((row) => { row.hidden = !has(words)(row); });
      return words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
    };
    table.before(searchField("Filter the rows", look));
  }

  function makeSearchable(list) {
    const papers = [...list.querySelectorAll("article")];
    const look = (words) => {
      const found = has(words);
      papers.forEach((paper) => {
        paper.hidden = !found(paper);
        paper.querySelectorAll("details").forEach((part) => {
          const items = [...part.querySelectorAll("li")];
          const some = words.length > 0 && items.some(found);
          items.forEach((item) => { item.hidden = some && !found(item); });
          part.open = some;
        });
      });
      list.querySelectorAll("section").forEach((part) => {
        part.hidden = !part.querySelector("article:not([hidden])");
      });
      const left = papers.filter((paper) => !paper.hidden).length;
      return words.length ? `${left} of ${papers.length} papers` : "";
    };
    list.prepend(searchField("Search titles, answers and figures", look));
  }

  for (const table of document.querySelectorAll(".table table")) {
    const rows = table.tBodies[0] ? table.tBodies[0].rows.length : 0;
    if (!table.tHead || FEW > rows || table.tBodies[0].querySelector("[colspan]")) continue;
    makeSortable(table);
    if (rows >= MANY) makeFilterable(table);
  }
  const list = document.querySelector("body.index main");
  if (list && list.querySelector("article")) makeSearchable(list);
})();
