/** A search field above a listbox, for options that are too many for a radio button or checkbox each. */
export interface LongList {
  chosen(): string[];
  choose(options: readonly string[]): void;
  setDisabled(disabled: boolean): void;
  focus(): void;
}

interface LongListDeps {
  /** Element in which the list is shown. */
  readonly place: HTMLElement;
  /** Id of the element that names the parameter. */
  readonly labelId: string;
  readonly options: readonly string[];
  readonly isMultiple: boolean;
  /** Whether a single selected option can be deselected. */
  readonly mayBeEmpty: boolean;
}

/** Maximum pause between keys of one typed word. @units milliseconds */
const TYPE_AHEAD_MS = 500;
/** Number of rows for Page Up and Page Down. */
const PAGE_ROWS = 8;

const make = <K extends keyof HTMLElementTagNameMap>(name: K, attributes: Readonly<Record<string, string>>) => {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
};

/**
 * The listbox pattern of the ARIA Authoring Practices: one tab stop, arrows and typing move the active option, Space selects it. The search
 * field is a separate tab stop; Arrow Down moves from it into the list.
 */
export const longList = ({ place, labelId, options, isMultiple, mayBeEmpty }: LongListDeps): LongList => {
  const listId = `${labelId}-list`;
  const search = make("input", { type: "search", placeholder: "Search", "aria-controls": listId, autocomplete: "off" });
  search.setAttribute("aria-label", `Search ${options.length} options`);
  const count = make("p", { class: "hint", role: "status", dir: "auto" });
  const list = make("div", { role: "listbox", id: listId, tabindex: "0", "aria-labelledby": labelId });
  if (isMultiple) list.setAttribute("aria-multiselectable", "true");
  const rows: readonly HTMLElement[] = options.map((option, index) => {
    const row = make("div", { role: "option", id: `${listId}-${index}`, "aria-selected": "false", dir: "auto" });
    row.textContent = option;
    return row;
  });
  const lower = options.map((option) => option.toLowerCase());
  let visibleRows = rows;
  let active: HTMLElement | undefined;
  let typed = "";
  let typedAt = Number.NEGATIVE_INFINITY;

  const isChosen = (row: HTMLElement) => row.ariaSelected === "true";
  const chosen = () => rows.flatMap((row, index) => (isChosen(row) ? [options[index] ?? ""] : []));

  const announce = () => {
    const many = (number: number) => number.toLocaleString("en");
    const found = search.value === "" ? "" : `${many(visibleRows.length)} found. `;
    count.textContent = `${found}${many(chosen().length)} of ${many(rows.length)} chosen.`;
  };

  const activate = (row: HTMLElement | undefined) => {
    active?.classList.remove("active");
    active = row;
    if (!row) return list.removeAttribute("aria-activedescendant");
    row.classList.add("active");
    row.scrollIntoView({ block: "nearest" });
    list.setAttribute("aria-activedescendant", row.id);
  };

  const toggle = (row: HTMLElement) => {
    const isOn = isMultiple || mayBeEmpty ? !isChosen(row) : true;
    if (!isMultiple) for (const other of rows) if (other !== row) other.ariaSelected = "false";
    row.ariaSelected = String(isOn);
    announce();
    list.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const filter = () => {
    const query = search.value.trim().toLowerCase();
    visibleRows = rows.filter((row, index) => {
      row.hidden = !(lower[index] ?? "").includes(query);
      return !row.hidden;
    });
    activate(undefined);
    announce();
  };

  /** Moves to the next option that begins with the typed text. */
  const seek = (key: string, now: number) => {
    typed = now - typedAt < TYPE_AHEAD_MS ? typed + key.toLowerCase() : key.toLowerCase();
    typedAt = now;
    const from = (active ? visibleRows.indexOf(active) : -1) + (typed.length === 1 ? 1 : 0);
    const order = [...visibleRows.slice(Math.max(from, 0)), ...visibleRows.slice(0, Math.max(from, 0))];
    const found = order.find((row) => row.textContent.trim().toLowerCase().startsWith(typed));
    if (found) activate(found);
  };

  search.addEventListener("input", filter);
  // A search changes no value, and Enter in the search field does not save.
  for (const type of ["input", "change"]) search.addEventListener(type, (event) => event.stopPropagation());
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    event.stopPropagation();
    list.focus();
    activate(visibleRows[0]);
  });

  const isDisabled = () => list.ariaDisabled === "true";
  list.addEventListener("click", ({ target }) => {
    const row = target instanceof HTMLElement ? target.closest<HTMLElement>("[role=option]") : null;
    if (!row || isDisabled()) return;
    activate(row);
    toggle(row);
  });
  list.addEventListener("focus", () => {
    if (!active) activate(visibleRows.find(isChosen) ?? visibleRows[0]);
  });
  list.addEventListener("keydown", (event) => {
    if (isDisabled() || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = active ? visibleRows.indexOf(active) : -1;
    const to: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + PAGE_ROWS,
      PageUp: at - PAGE_ROWS,
      Home: 0,
      End: visibleRows.length - 1,
    };
    const { key } = event;
    if (Object.hasOwn(to, key)) activate(visibleRows[Math.min(Math.max(to[key] ?? 0, 0), visibleRows.length - 1)]);
    else if (key === "Enter" || (key === " " && event.timeStamp - typedAt >= TYPE_AHEAD_MS)) {
      if (active) toggle(active);
    } else if (key.length === 1) seek(key, event.timeStamp);
    else return;
    event.preventDefault();
  });

  list.append(...rows);
  place.replaceChildren(search, list, count);
  place.classList.add("long");
  announce();

  return {
    chosen,
    choose(wanted) {
      const all = new Set(wanted);
      for (const [index, row] of rows.entries()) row.ariaSelected = String(all.has(options[index] ?? ""));
      // Scrolls to the selected option, so that it is visible without a search.
      list.scrollTop = (rows.find(isChosen)?.offsetTop ?? list.offsetTop) - list.offsetTop;
      announce();
    },
    setDisabled(disabled) {
      list.ariaDisabled = String(disabled);
      list.tabIndex = disabled ? -1 : 0;
    },
    focus: () => search.focus(),
  };
};
