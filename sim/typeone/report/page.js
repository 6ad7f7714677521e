"use strict";
(() => {
  const make = (name, properties = {}, ...children) => {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  };

  // Sorting: numbers by their full value (the title of a rounded cell), the rest as text; equal rows keep their order.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const words = cell.title || cell.textContent.trim();
    const number = words === "" || words === "–" ? NaN : Number(words);
    return { words, number };
  };

  const compare = (a, b) => {
    const [x, y] = [a.number, b.number].map(Number.isNaN);
    if (!x && !y) return a.number - b.number;
    if (x !== y) return x ? 1 : -1;
    return a.words.localeCompare(b.words, "en", { numeric: true });
  };

  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: valueOf(row, column) }));
    rows.sort((a, b) => (descending ? compare(b.key, a.key) : compare(a.key, b.key)));
    body.append(...rows.map((entry) => entry.row));
    [...table.tHead.rows[0].cells].forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  };

  const sortable = (table) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", { type: "button" }, ...head.childNodes);
      button.addEventListener("click", () => sort(table, column, head.getAttribute("aria-sort") === "ascending"));
      head.replaceChildren(button);
    });
  };

  // Filtering: every word must stand in the row, and each chosen value in its column.
  const filterable = (table) => {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 8) return;
    const heads = [...table.tHead.rows[0].cells];
    const search = make("input", { type: "search", autocomplete: "off" });
    const count = make("output");
    count.setAttribute("aria-live", "polite");
    const tools = make("div", { className: "tools" }, make("label", {}, "Filter", search));
    const choices = [];
    heads.forEach((head, column) => {
      if (!("choose" in head.dataset)) return;
      const values = [...new Set(rows.map((row) => row.cells[column].textContent.trim()))];
      if (values.length < 2 || values.length > 80) return;
      const order = values.map((words) => ({ words, number: words === "" ? NaN : Number(words) })).sort(compare);
      const all = make("option", { value: "\u0000" }, "all");
      const options = order.map(({ words }) => make("option", { value: words }, words || "(none)"));
      const select = make("select", {}, all, ...options);
      choices.push({ column, select });
      tools.append(make("label", {}, head.textContent, select));
    });
    const text = rows.map((row) => row.textContent.toLowerCase() + " " + [...row.cells].map((c) => c.textContent).join(" ").toLowerCase());
    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const chosen = choices.filter(({ select }) => select.value !== "\u0000");
      let shown = 0;
      rows.forEach((row, i) => {
        const keep = words.every((word) => text[i].includes(word))
          && chosen.every(({ column, select }) => row.cells[column].textContent.trim() === select.value);
        row.hidden = !keep;
        shown += keep;
      });
      count.textContent = `${shown} of ${rows.length} rows`;
    };
    const clear = make("button", { type: "button" }, "Show all");
    clear.addEventListener("click", () => {
      search.value = "";
      choices.forEach(({ select }) => { select.value = "\u0000"; });
      apply();
    });
    tools.append(clear, count);
    tools.addEventListener("input", apply);
    tools.addEventListener("change", apply);
    table.parentElement.before(tools);
    table.showAll = () => clear.click();
    apply();
  };

  // Linked marks and rows: what is under the pointer in one lights up in the other.
  const marks = new Map();
  document.querySelectorAll("svg a[href^='#row-']").forEach((mark) => {
    const id = mark.getAttribute("href").slice(1);
    marks.set(id, [...(marks.get(id) || []), mark]);
  });
  const light = (id, on) => {
    (marks.get(id) || []).forEach((mark) => mark.classList.toggle("hot", on));
    const row = document.getElementById(id);
    if (row) row.classList.toggle("hot", on);
  };

  const tip = make("div", { id: "tip", hidden: true, role: "tooltip" });
  document.body.append(tip);
  marks.forEach((several, id) => several.forEach((mark) => {
    const title = mark.querySelector("title");
    const words = title ? title.textContent : "";
    if (title) title.remove();
    mark.addEventListener("pointerenter", () => {
      light(id, true);
      const box = mark.getBoundingClientRect();
      tip.textContent = words;
      tip.hidden = false;
      tip.style.left = `${Math.max(4, Math.min(box.right + 8, innerWidth - tip.offsetWidth - 8))}px`;
      tip.style.top = `${Math.max(4, box.top - tip.offsetHeight - 6)}px`;
    });
    mark.addEventListener("pointerleave", () => { light(id, false); tip.hidden = true; });
  }));
  marks.forEach((_, id) => {
    const row = document.getElementById(id);
    if (!row) return;
    row.addEventListener("pointerenter", () => light(id, true));
    row.addEventListener("pointerleave", () => light(id, false));
  });

  // A link to a row that a filter hides shows all rows first.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#'], a[*|href^='#']");
    if (!link) return;
    const target = document.getElementById(link.getAttribute("href").slice(1));
    if (target && target.hidden) target.closest("table").showAll();
  });

  const theme = make("button", { id: "theme", type: "button" });
  const isDark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.setAttribute("aria-label", "Switch between light and dark");
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; name(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  document.body.append(theme);

  document.querySelectorAll("table.sortable").forEach((table) => { filterable(table); sortable(table); });
})();
