import type { Invocation, InvocationRequest } from "@parley/contract";
import { element } from "../../../pages/browser/element.ts";

const tag = (name: string, text = "", className = ""): HTMLElement => {
  const element = document.createElement(name);
  element.textContent = text;
  if (className) element.className = className;
  return element;
};

const part = (title: string, content: HTMLElement): HTMLElement => {
  const section = tag("div");
  section.append(tag("h3", title), content);
  return section;
};

const facts = (rows: readonly (readonly [string, string])[]): HTMLElement => {
  const list = tag("dl");
  list.append(...rows.flatMap(([term, value]) => [tag("dt", term), tag("dd", value)]));
  return list;
};

const lineItem = ({ level, text }: Invocation["lines"][number]): HTMLElement => {
  const item = tag("li", "", level);
  item.append(tag("span", `${level}: `, "level"), text);
  return item;
};

const requestText = ({ method, url, status, failure, attempts, ms, template }: InvocationRequest): string =>
  [
    `${method} ${url}: ${status === 0 ? "no answer" : status}`,
    `${ms} ms`,
    ...(template === undefined ? [] : [`template ${template}`]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(failure === undefined ? [] : [failure]),
  ].join(", ");

const list = (items: readonly HTMLElement[]): HTMLElement => {
  const element = tag("ol");
  element.append(...items);
  return element;
};

const detailsOf = (one: Invocation): HTMLElement[] => [
  facts([
    ["Handler", one.handler],
    ["Time", `${one.ms} ms`],
    ["Begun", one.begun],
    ["Call", one.id],
  ]),
  ...(one.ok ? [] : [part("Error", tag("pre", one.stack ?? one.error ?? "The handler failed without a message."))]),
  ...(one.output === undefined ? [] : [part("Answer", tag("pre", JSON.stringify(one.output, null, 2)))]),
  part(
    "Console output",
    one.lines.length > 0 ? list(one.lines.map(lineItem)) : tag("p", "The handler wrote nothing.", "hint"),
  ),
  ...(one.requests.length > 0
    ? [part("Requests", list(one.requests.map((request) => tag("li", requestText(request)))))]
    : []),
];

/** Result of a handler call. The outcome is announced to screen readers. */
export const resultView = (root: HTMLElement) => {
  const outcome = element<HTMLElement>(root, "[data-part=outcome]");
  const details = element<HTMLElement>(root, "[data-part=details]");
  const showResult = (text: string, className: "" | "good" | "bad", content: readonly HTMLElement[] = []) => {
    outcome.className = `outcome ${className}`;
    outcome.textContent = text;
    details.replaceChildren(...content);
    const { top, bottom } = outcome.getBoundingClientRect();
    // On a narrow window the result stands below the payload.
    if (content.length > 0 && (top < 0 || bottom > window.innerHeight)) root.scrollIntoView({ block: "start" });
  };
  return {
    wait: (name: string) => showResult(`${name} is running …`, ""),
    refuse: (why: string) => showResult(why, "bad"),
    show(one: Invocation) {
      const { event, ok, ms, error } = one;
      const text = ok ? `${event} succeeded in ${ms} ms.` : `${event} failed after ${ms} ms: ${error ?? "no message"}`;
      showResult(text, ok ? "good" : "bad", detailsOf(one));
    },
  };
};
