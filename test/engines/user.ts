import { eventually as repeat } from "../console/support/harness.ts";
import type { EnginePage } from "./drivers.ts";

/** Engines differ in speed more than the pages do. @units milliseconds */
const SHOWN_WITHIN_MS = 60_000;
const eventually = (check: () => unknown) => repeat(check, SHOWN_WITHIN_MS);

const SELECTORS = {
  button: "button, [role=button]",
  link: "a[href]",
  option: "[role=option]",
  textbox: "textarea, input:not([type]), input[type=text], input[type=email], input[type=password]",
} as const;

/** -> the first element of a role that is shown and has the name @shape name: the whole name, or a regular expression */
const FIND = `((selector, isName) => [...document.querySelectorAll(selector)].find((element) => {
  if (!element.checkVisibility({ visibilityProperty: true }) || element.closest("[inert], [aria-hidden=true]")) return false;
  const ids = (element.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
  const labels = [...ids.map((id) => document.getElementById(id)), ...(element.labels ?? []), element];
  return [element.ariaLabel, ...labels.map((label) => label?.innerText)].some((text) => isName((text ?? "").trim()));
}) ?? null)`;

/** What a person does with a page, in every engine alike. Each action waits for its element. */
export interface User {
  readonly page: EnginePage;
  press(role: keyof typeof SELECTORS, name: string | RegExp): Promise<void>;
  type(name: string, text: string): Promise<void>;
  chooseFile(path: string): Promise<void>;
  /** Waits until the page, or its frame whose address contains `frame`, shows a text. */
  see(text: string, frame?: string): Promise<void>;
  /** Waits until an expression is true. */
  until(expression: string, frame?: string): Promise<void>;
}

const elementOf = (role: keyof typeof SELECTORS, name: string | RegExp): string =>
  `${FIND}(${JSON.stringify(SELECTORS[role])}, (text) => ${name instanceof RegExp ? `${name}.test(text)` : `text === ${JSON.stringify(name)}`})`;

/** @shape place: part of the address of the frame in which the user acts; the page itself when absent */
export const userOf = (page: EnginePage, place?: string): User => {
  const until = (expression: string, frame = place, meaning = expression) =>
    eventually(async () => {
      if (!(await page.evaluate<boolean>(`Boolean(${expression})`, frame)))
        throw new Error(
          `It is not true: ${meaning}. The page shows:\n${await page.evaluate<string>("document.body.innerText", frame)}`,
        );
    });
  return {
    page,
    until,
    async press(role, name) {
      await until(elementOf(role, name), place, `that there is the ${role} ${name}`);
      await eventually(() => page.click(elementOf(role, name), place));
    },
    async type(name, text) {
      await until(elementOf("textbox", name), place, `that there is the field ${name}`);
      await page.type(elementOf("textbox", name), text, place);
    },
    chooseFile: (path) => eventually(() => page.chooseFile("document.querySelector('input[type=file]')", path)),
    see: (text, frame) => until(`document.body.innerText.includes(${JSON.stringify(text)})`, frame),
  };
};
