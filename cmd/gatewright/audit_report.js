
"use strict";
(() => {
  const form = document.getElementById("filters"), text = document.getElementById("text");
  const count = document.getElementById("count"), none = document.getElementById("none");
  const rows = Array.from(document.querySelectorAll("#log > .row"));
  const selects = Array.from(form.querySelectorAll("select"));
  if (rows.length === 0) return;
  form.hidden = false;
  let words = null;

  const apply = () => {
    const wanted = selects.filter((s) => s.value !== "").map((s) => [s.dataset.of, s.value]);
    const search = text.value.trim().toLowerCase();
    if (search !== "" && words === null) words = rows.map((row) => row.textContent.toLowerCase());
    let shown = 0;
    rows.forEach((row, i) => {
      const fits = wanted.every(([of, value]) => row.dataset[of] === value) && (search === "" || words[i].includes(search));
      if (row.hidden === fits) row.hidden = !fits;
      if (fits) shown++;
    });
    count.textContent = shown === rows.length ? rows.length + " entries" : shown + " of " + rows.length + " entries";
    none.hidden = shown > 0;
  };

  let waiting = 0;
  text.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply, 0));

  const near = (from, step) => {
    for (let i = from + step; i >= 0 && i < rows.length; i += step) if (!rows[i].hidden) return rows[i];
    return null;
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      text.focus();
    } else if (event.key === "Escape") {
      form.reset();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && document.activeElement.tagName === "SUMMARY") {
      const next = near(rows.indexOf(document.activeElement.closest(".row")), event.key === "ArrowDown" ? 1 : -1);
      if (next !== null) {
        event.preventDefault();
        next.querySelector("summary").focus();
      }
    }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("svg a");
    if (link === null) return;
    const row = document.getElementById(link.getAttribute("href").slice(1));
    if (row !== null && row.hidden) { form.reset(); setTimeout(() => row.scrollIntoView(), 50); }
  });
  apply();
})();
