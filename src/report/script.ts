// SPDX-License-Identifier: Apache-2.0
// The one script of every page, which is whole without it: tables sort by the column that is clicked
// (up, down, as they were), plots zoom with buttons or Ctrl and the wheel, and are then dragged.

export const script = `
(() => {
  const value = (cell) => {
    const text = cell.textContent.replaceAll(",", "");
    return text !== "" && Number.isFinite(+text) ? +text : text;
  };
  const compare = (a, b) =>
    typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const sort = () => {
        const now = head.getAttribute("aria-sort");
        for (const other of heads) other.removeAttribute("aria-sort");
        const order = now === "ascending" ? "descending" : now === "descending" ? "" : "ascending";
        if (order === "") return body.append(...rows);
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const keyed = rows.map((row) => [value(row.cells[column]), row]);
        body.append(...keyed.sort((a, b) => sign * compare(a[0], b[0])).map(([, row]) => row));
      };
      head.tabIndex = 0;
      head.classList.add("sorts");
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => {
        if (event.key === "Enter") sort();
      });
    });
  }
  for (const svg of document.querySelectorAll(".plot > svg")) {
    const all = svg.viewBox.baseVal;
    if (!all || all.width === 0) continue;
    const whole = [all.x, all.y, all.width, all.height];
    let box = whole;
    const show = (next) => {
      const scale = Math.min(1, next[2] / whole[2]);
      box = scale === 1 ? whole : next;
      svg.setAttribute("viewBox", box.join(" "));
      svg.classList.toggle("zoomed", scale < 1);
    };
    const zoom = (factor, x = 0.5, y = 0.5) => {
      const [left, top, width, height] = box;
      const [w, h] = [width * factor, height * factor];
      show([left + x * (width - w), top + y * (height - h), w, h]);
    };
    const bar = document.createElement("div");
    bar.className = "zoom";
    for (const [text, title, act] of [
      ["+", "closer", () => zoom(0.5)],
      ["\\u2212", "further", () => zoom(2)],
      ["1:1", "all of it", () => show(whole)],
    ]) {
      const button = document.createElement("button");
      [button.textContent, button.title, button.type] = [text, title, "button"];
      button.addEventListener("click", act);
      bar.append(button);
    }
    svg.after(bar);
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const place = svg.getBoundingClientRect();
      const [x, y] = [(event.clientX - place.x) / place.width, (event.clientY - place.y) / place.height];
      zoom(event.deltaY < 0 ? 0.8 : 1.25, x, y);
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      if (!svg.classList.contains("zoomed")) return;
      svg.setPointerCapture(event.pointerId);
      const [x, y, from] = [event.clientX, event.clientY, box];
      const place = svg.getBoundingClientRect();
      const move = (now) => show([
        from[0] - ((now.clientX - x) * from[2]) / place.width,
        from[1] - ((now.clientY - y) * from[3]) / place.height,
        from[2], from[3],
      ]);
      svg.addEventListener("pointermove", move);
      svg.addEventListener("pointerup", () => svg.removeEventListener("pointermove", move), { once: true });
    });
  }
})();
`;
