/** The page's elements and their updates. Unchanged elements are not touched, so that the focus and the scroll position remain. */

/** @errors Error for an id that index.html lacks */
export const byId = <E extends HTMLElement = HTMLElement>(id: string): E => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found as E;
};

export const createElement = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = "",
  text = "",
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
};

export const setText = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text;
};

export const show = (element: HTMLElement, isShown: boolean): void => {
  if (element.hidden === isShown) element.hidden = !isShown;
};

interface ItemRenderer<T, E extends HTMLElement> {
  /** Unique for each item. */
  readonly key: (item: T, index: number) => string;
  readonly make: () => E;
  readonly draw: (element: E, item: T, index: number) => void;
}

/** Renders one child per item, in order. A child stays with its item, so that it keeps the focus. */
export const drawItems = <T, E extends HTMLElement>(
  parent: HTMLElement,
  items: readonly T[],
  { key, make, draw }: ItemRenderer<T, E>,
): void => {
  const previous = new Map([...parent.children].map((child) => [(child as E).dataset["key"] ?? "", child as E]));
  items.forEach((item, index) => {
    const name = key(item, index);
    const element = previous.get(name) ?? make();
    previous.delete(name);
    element.dataset["key"] = name;
    draw(element, item, index);
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  });
  for (const element of previous.values()) element.remove();
};

interface SelectOption {
  readonly value: string;
  readonly text: string;
}

/** Sets the options of a select. Its value is kept if it is still an option. */
export const drawOptions = (select: HTMLSelectElement, choices: readonly SelectOption[]): void => {
  const optionsKey = (options: readonly SelectOption[]) =>
    options.map(({ value, text }) => `${value}\n${text}`).join("\n\n");
  if (optionsKey([...select.options]) === optionsKey(choices)) return;
  const { value } = select;
  select.replaceChildren(...choices.map((choice) => new Option(choice.text, choice.value)));
  if (choices.some((choice) => choice.value === value)) select.value = value;
};

/** A term with its description. `link`: an address such as mailto:, built here and never taken from data. */
interface DescriptionRow {
  readonly term: string;
  readonly text: string;
  readonly link?: string;
  readonly className?: string;
}

/** Renders a description list; rows with an empty text are omitted. */
export const drawDescriptions = (list: HTMLElement, rows: readonly DescriptionRow[]): void =>
  drawItems(
    list,
    rows.filter(({ text }) => text !== ""),
    {
      key: ({ term, link }) => `${term}${link ? " link" : ""}`,
      make: () => {
        const row = createElement("div");
        row.append(createElement("dt"), createElement("dd"));
        return row;
      },
      draw: (row, { term, text, link, className = "" }) => {
        const [name, value] = [...row.children] as [HTMLElement, HTMLElement];
        setText(name, term);
        if (value.className !== className) value.className = className;
        if (!link) return setText(value, text);
        let anchor = value.querySelector("a");
        if (!anchor) value.append((anchor = createElement("a")));
        if (anchor.getAttribute("href") !== link) anchor.href = link;
        setText(anchor, text);
      },
    },
  );
