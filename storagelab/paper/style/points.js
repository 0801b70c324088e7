// What a drawing can do besides being looked at: a point opens its row of data and the lines of logs behind it, the
// other points and rows of tables that the same log is behind are marked, and what a legend names is shown or hidden.
(() => {
  const NEAR = 14;
  const HIDDEN_COLUMNS = new Set(["log_lines", "origin", "study", "log_id", "line"]);
  const PREFIXES = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1], ["m", 1e-3], ["µ", 1e-6], ["n", 1e-9]];
  const source = document.querySelector('script[type="application/json"]');
  const figures = [...document.querySelectorAll("figure.figure")].filter((one) => one.querySelector("svg [data-row]"));
  if (!source || !figures.length || !HTMLElement.prototype.showPopover) return;
  const known = JSON.parse(source.textContent);

  function make(name, className, ...inside) {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...inside);
    return element;
  }

  // CSV as RFC 4180 has it.
  function parsed(text) {
    const rows = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
      rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
      if (end === "\n") rows.push([]);
      if (end === "") break;
    }
    const [heads, ...others] = rows;
    return others.filter((row) => row.length === heads.length)
      .map((row) => new Map(heads.map((head, place) => [head, row[place]])));
  }

  const read = new Map();
  function rowsOf(figure) {
    if (!read.has(figure)) {
      const link = figure.querySelector('a[download$=".csv"]');
      const bytes = link ? Uint8Array.from(atob(link.href.split(",")[1]), (one) => one.charCodeAt(0)) : [];
      read.set(figure, parsed(new TextDecoder().decode(Uint8Array.from(bytes))));
    }
    return read.get(figure);
  }

  // The lines of logs behind a row: [["raw/study/a.log", [3, 5]], ...]
  function logsOf(row) {
    const told = [...(row.get("log_lines") || "").matchAll(/(?:^| )(raw\/\S+?)(?::([\d,]+))?(?= |$)/g)];
    if (told.length || !row.get("log")) return told.map(([, log, lines]) => [log, lines ? lines.split(",") : []]);
    return [[row.get("log"), row.get("line") ? [String(Number(row.get("line")))] : []]];
  }

  function say(text, unit) {
    const value = Number(text);
    if (text === "" || isNaN(value)) return text;
    const size = Math.abs(value);
    const scaled = /^(B|B\/s|s|1\/s)$/.test(unit) && size > 0;
    const prefixes = unit === "s" ? PREFIXES.slice(4) : PREFIXES.slice(0, 5);
    const [prefix, factor] = (scaled && prefixes.find(([, one]) => size >= one)) || ["", 1];
    const shown = Number.isInteger(value) && 1e5 > size ? String(value) : String(Number((value / factor).toPrecision(4)));
    if (unit === "1/s") return `${shown} ${prefix}/s`.replace("  ", " ");
    return unit && unit !== "1" ? `${shown} ${prefix}${unit}` : shown;
  }

  function described(row) {
    return [...row].filter(([name, text]) => text !== "" && !HIDDEN_COLUMNS.has(name)).map(([name, text]) => {
      const [label, unit] = known.columns[name] || [name, ""];
      return [label, say(text, unit)];
    });
  }

  function linesOf(row) {
    const list = make("ol", "lines");
    for (const [log, [line]] of logsOf(row)) {
      const item = make("li", "", make("code", "", log.replace(/^raw\/[^/]+\//, "") + (line ? `:${line}` : "")));
      const text = line && known.lines[log] && known.lines[log][line];
      if (text) item.append(make("pre", "", text));
      list.append(item);
    }
    return list;
  }

  const marksOf = (figure) => [...figure.querySelectorAll("svg [data-row]")];

  let behind = null;
  function marksBehind(log) {
    if (!behind) {
      behind = new Map();
      for (const figure of figures) {
        for (const mark of marksOf(figure)) {
          const row = rowsOf(figure)[mark.dataset.row];
          for (const [one] of row ? logsOf(row) : []) behind.set(one, [...(behind.get(one) || []), mark]);
        }
      }
    }
    return behind.get(log) || [];
  }

  function cellsBehind(log) {
    const plain = log.replace(/^raw\/[^/]+\//, "");
    const cards = [...document.querySelectorAll('.card[id^="cell-"]')].filter((card) =>
      [...card.querySelectorAll(".lines code")].some((code) => code.textContent.split(":")[0] === plain));
    return cards.flatMap((card) => [...document.querySelectorAll(`td [popovertarget="${card.id}"]`)]);
  }

  function link(row) {
    const logs = logsOf(row).map(([log]) => log);
    const marks = new Set(logs.flatMap(marksBehind));
    const rows = new Set(logs.flatMap(cellsBehind).map((cell) => cell.closest("tr")));
    [...marks, ...rows].forEach((one) => one.classList.add("linked"));
    return [marks.size, rows.size];
  }

  const unlink = () => document.querySelectorAll(".linked, .asked").forEach((one) => one.classList.remove("linked", "asked"));
  const several = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  const card = make("div", "card point");
  card.popover = "auto";
  card.setAttribute("role", "dialog");
  document.body.append(card);
  card.addEventListener("toggle", (event) => { if (event.newState === "closed") unlink(); });

  function open(figure, mark) {
    const row = rowsOf(figure)[mark.dataset.row];
    if (!row) return;
    unlink();
    const name = figure.querySelector(".label").textContent.replace(/\.$/, "");
    const [marks, rows] = link(row);
    mark.classList.add("asked");
    const told = make("p", "spread", described(row).map(([label, text]) => `${label}: ${text}`).join("; "));
    const end = marks > 1 || rows
      ? `The same logs are behind ${several(marks, "mark")} of figures and ${several(rows, "row")} of tables, which are marked.` : "";
    const heading = make("p", "value", make("strong", "", `Row ${Number(mark.dataset.row) + 1}`), ` of the data of ${name}`);
    card.replaceChildren(heading, told, linesOf(row), make("p", "files", end));
    card.setAttribute("aria-label", `Where a point of ${name} comes from`);
    const box = mark.getBoundingClientRect();
    card.showPopover();
    const below = innerHeight > box.bottom + card.offsetHeight + 8;
    card.style.setProperty("--left", `${Math.max(4, Math.min(box.left, innerWidth - card.offsetWidth - 8))}px`);
    card.style.setProperty("--top", `${Math.max(4, below ? box.bottom + 6 : box.top - card.offsetHeight - 6)}px`);
  }

  function nearest(figure, x, y) {
    const far = (mark) => {
      const box = mark.getBoundingClientRect();
      return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom))
        + Math.hypot((box.left + box.right) / 2 - x, (box.top + box.bottom) / 2 - y) / 1e3;
    };
    const found = marksOf(figure).map((mark) => [far(mark), mark]).sort(([one], [other]) => one - other)[0];
    return found && NEAR >= found[0] ? found[1] : null;
  }

  // Where the drawing has what was clicked in a part of it that a phone shows.
  function placeInDrawing(figure, event) {
    const part = event.target.closest("use");
    const whole = figure.querySelector('.plate svg > g[id$="-all"]');
    const inside = part && new DOMPoint(event.clientX, event.clientY).matrixTransform(part.getScreenCTM().inverse());
    return inside && inside.matrixTransform(whole.getScreenCTM());
  }

  // From the keyboard: the arrows go from point to point of the drawing that has the focus, Enter opens.
  function walk(figure, plate) {
    let place = -1;
    plate.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const marks = marksOf(figure).filter((mark) => !mark.classList.contains("off"));
      if (step && marks.length) {
        if (plate.scrollWidth > plate.clientWidth) return;
        place = (place + step + marks.length) % marks.length;
        unlink();
        marks[place].classList.add("asked");
        event.preventDefault();
      } else if (event.key === "Enter" && marks[place]) {
        open(figure, marks[place]);
      }
    });
  }

  const colours = (element) => {
    const look = getComputedStyle(element);
    return [look.stroke, look.fill].filter((one) => one && one !== "none");
  };

  const asRead = (one, other) => {
    const [first, second] = [one, other].map((text) => text.getBoundingClientRect());
    return Math.abs(first.top - second.top) > 4 ? first.top - second.top : first.left - second.left;
  };

  // Buttons for what the legend of the series names by a colour of its own, in the order in which it is read.
  function makeToggles(figure) {
    const legend = figure.querySelector("svg g.legend");
    const named = [...(legend ? legend.querySelectorAll(":scope > g") : [])].map((group) => group.querySelector("text"))
      .filter((text) => text && text.parentElement.previousElementSibling).sort(asRead);
    const samples = named.map((text) => [text.textContent.trim(),
      text.parentElement.previousElementSibling.querySelector("path, use")]).filter(([, sample]) => sample);
    const looks = samples.map(([, sample]) => colours(sample)[0]);
    if (looks.length > new Set(looks).size || looks.includes(undefined)) return;
    const drawn = [...figure.querySelectorAll(".plate path, .plate use")].filter((one) => !one.closest(".legend, defs, clipPath"));
    const parts = samples.map(([name], place) => [name, drawn.filter((one) => colours(one).includes(looks[place]))])
      .filter(([, own]) => own.length);
    if (2 > parts.length) return;
    const buttons = parts.map(([name, own]) => {
      const button = make("button", "toggle", name);
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        const shown = button.getAttribute("aria-pressed") === "false";
        button.setAttribute("aria-pressed", String(shown));
        own.forEach((one) => one.classList.toggle("off", !shown));
      });
      return button;
    });
    figure.querySelector("figcaption").append(make("p", "toggles", "Show: ", ...buttons));
  }

  for (const figure of figures) {
    const plate = figure.querySelector(".plate");
    plate.addEventListener("click", (event) => {
      const mark = nearest(figure, event.clientX, event.clientY);
      if (mark) open(figure, mark);
    });
    const stack = figure.querySelector(".stack");
    if (stack) stack.addEventListener("click", (event) => {
      const place = placeInDrawing(figure, event);
      const mark = place && nearest(figure, place.x, place.y);
      if (mark) open(figure, mark);
    });
    walk(figure, plate);
    makeToggles(figure);
  }
})();
