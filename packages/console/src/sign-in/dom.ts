type Content = Node | string | false | undefined;
type Attributes<Tag extends keyof HTMLElementTagNameMap> = Partial<HTMLElementTagNameMap[Tag]> &
  Readonly<Partial<Record<`data-${string}` | `aria-${string}`, string>>>;

/** Creates an element. Names that are not properties of the element, such as `aria-label`, become attributes. */
export const h = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes<Tag> = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name in element) Object.assign(element, { [name]: value });
    else element.setAttribute(name, value as string);
  element.append(...content.filter((each) => each !== undefined && each !== false));
  return element;
};

export const paragraph = (className: string, ...content: readonly Content[]): HTMLParagraphElement =>
  h("p", { className }, ...content);

/** Shows a text in an element that is hidden without a text. */
export const showText = (element: HTMLElement, text: string): void => {
  element.textContent = text;
  element.hidden = text === "";
};

/** A notice without text, which is hidden. A problem is announced at once, and can have the focus. */
export const notice = (tone: "good" | "bad"): HTMLElement =>
  h("p", {
    className: `notice ${tone}`,
    role: tone === "bad" ? "alert" : "status",
    hidden: true,
    ...(tone === "bad" && { tabIndex: -1 }),
  });

export const heading = (text: string): HTMLHeadingElement => h("h1", { tabIndex: -1 }, text);

/** Shows a page in place of the note that it needs JavaScript. */
export const showPage = (title: string, ...content: readonly HTMLElement[]): void => {
  document.title = `${title} · Parley`;
  document.querySelector("main")?.replaceChildren(...content);
};

/** -> a value that the service wrote into the page; "" when absent */
export const metaOf = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
