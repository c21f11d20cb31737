import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Iparam, IparamType, IparamValue } from "@parley/contract";
import type { Page } from "playwright-core";
import { KEY } from "../support/fake-account.ts";
import {
  fixtureFolder,
  formOn,
  installFixture,
  STORED,
  SUFFIX,
  type InstallForm,
  type InstallFixture,
} from "./install-fixture.ts";

/** One row for each type: attributes, entry, invalid entry, and stored value. */
interface Row {
  readonly widget: string;
  /** The default value, its display in the control, and its stored form. */
  readonly initial: NonNullable<Iparam["default_value"]>;
  readonly shownValue?: string;
  readonly storedValue: IparamValue;
  /** Check of the type itself: an entry and its error message. Absent if the control admits no invalid entry. */
  readonly invalidEntry?: readonly [string, string];
  /** A regular expression that the default doesn't match. */
  readonly regex?: string;
}

const options = ["one", "two", "three"];

const ROWS: Readonly<Record<IparamType, Row>> = {
  text: { widget: "input[type=text]", initial: "a text", storedValue: "a text", regex: "^b" },
  paragraph: { widget: "textarea", initial: "two\nlines", storedValue: "two\nlines", regex: "three" },
  dropdown: { widget: "select", initial: "two", storedValue: "two", regex: "^one$" },
  email: {
    widget: "input[type=email]",
    initial: "ann@example.com",
    storedValue: "ann@example.com",
    invalidEntry: ["ann@", "Enter an email address, such as name@example.com."],
    regex: "@example\\.org$",
  },
  number: {
    widget: "input[inputmode=numeric]",
    initial: "12",
    storedValue: 12,
    invalidEntry: ["1.5", "Enter a whole number of at most 10 digits."],
    regex: "^[0-9]$",
  },
  phone_number: {
    widget: "input[type=tel]",
    initial: "+1 202 555 0147",
    storedValue: "+1 202 555 0147",
    invalidEntry: ["12", "Enter a phone number of 7 to 15 digits, such as +1 202 555 0147."],
    regex: "^\\+49",
  },
  date: { widget: "input[type=date]", initial: "2025-03-31", storedValue: "2025-03-31", regex: "^2024" },
  url: {
    widget: "input[type=url]",
    initial: "https://example.com/a",
    storedValue: "https://example.com/a",
    invalidEntry: ["example.com", "Enter an address that begins with https:// or http://."],
    regex: "^https://example\\.org",
  },
  radio: { widget: "fieldset:has(input[type=radio])", initial: "two", storedValue: "two", regex: "^one$" },
  checkbox: { widget: "input[type=checkbox]", initial: true, storedValue: true },
  multiselect: {
    widget: "fieldset:has(input[type=checkbox])",
    initial: ["two", "three"],
    storedValue: ["two", "three"],
    regex: "^two$",
  },
  domain: {
    widget: ".affix + input[type=text]",
    initial: "acme",
    storedValue: `acme${SUFFIX}`,
    invalidEntry: ["a b", "Enter the account name only: letters, digits and hyphens."],
    regex: "^other",
  },
  api_key: { widget: "input[type=password]", initial: KEY, storedValue: KEY, regex: "^other" },
};
const TYPES = Object.entries(ROWS) as [IparamType, Row][];

const iparam = (type: IparamType, more: Partial<Iparam>): Iparam => ({
  display_name: `The ${type}`,
  type,
  ...(["dropdown", "radio", "multiselect"].includes(type) ? { options } : {}),
  ...(["domain", "api_key"].includes(type) ? { type_attributes: { product: "chat" } } : {}),
  ...more,
});

/** Four parameters for each type: with a default, required, hidden, and with a regular expression. */
const IPARAMS = Object.fromEntries(
  TYPES.flatMap(([type, { initial, regex }]): [string, Iparam][] => [
    [`default_${type}`, iparam(type, { default_value: initial })],
    [`required_${type}`, iparam(type, { required: true })],
    [`hidden_${type}`, iparam(type, { default_value: initial, visible: false, required: true })],
    [
      `regex_${type}`,
      iparam(type, {
        default_value: initial,
        ...(regex === undefined
          ? {}
          : { regex: { any: ".", "any-error": "any", own: regex, "own-error": `Not ${type}.` } }),
      }),
    ],
  ]),
);

let folder: string;
let fixture: InstallFixture;
let page: Page;
let form: InstallForm;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-table-"));
  await cp(fixtureFolder("install-none"), folder, { recursive: true });
  await writeFile(join(folder, "config/iparams.json"), JSON.stringify(IPARAMS));
  fixture = await installFixture(folder);
  ({ page } = await fixture.visit());
  form = formOn(page);
  await form.save();
  await form.notice().getByText("Validation failed.").waitFor();
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns a field's value as its control holds it. */
const shownValue = async (key: string): Promise<unknown> => {
  const field = form.field(key);
  if ((await field.locator("fieldset").count()) > 0)
    return field.locator("input:checked").evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));
  const box = field.locator("input[type=checkbox]");
  return (await box.count()) > 0 ? box.isChecked() : page.inputValue(`[id=${key}]`);
};

describe.each(TYPES)("a parameter of the type %s", (type, { widget, initial, storedValue, invalidEntry, regex }) => {
  test("has its control with its default", async () => {
    expect(await form.field(`default_${type}`).locator(widget).count()).toBe(1);
    expect(await shownValue(`default_${type}`)).toEqual(type === "radio" ? [initial] : initial);
  });

  test("that is required is marked and checked", async () => {
    expect(await form.field(`required_${type}`).getByText("(required)").isVisible()).toBe(true);
    expect(await form.errorOf(`required_${type}`).textContent()).toBe("This field is required!");
    expect(await form.field(`default_${type}`).getByText("(required)").isVisible()).toBe(false);
  });

  test("that is hidden is not shown and never blocks a save", async () => {
    expect(await form.field(`hidden_${type}`).isVisible()).toBe(false);
    expect(await form.errorOf(`hidden_${type}`).textContent()).toBe("");
  });

  test("is checked with every expression", async () => {
    expect(await form.errorOf(`regex_${type}`).textContent()).toBe(regex === undefined ? "" : `Not ${type}.`);
  });

  test("is checked by its type first", async () => {
    if (invalidEntry === undefined)
      return expect(["email", "number", "phone_number", "url", "domain"]).not.toContain(type);
    const [entry, message] = invalidEntry;
    for (const key of [`default_${type}`, `regex_${type}`]) {
      await page.fill(`[id=${key}]`, entry);
      await form.leave();
      expect(await form.errorOf(key).textContent()).toBe(message);
      await page.fill(`[id=${key}]`, "");
      await form.leave();
      expect(await form.errorOf(key).textContent()).toBe("");
    }
  });

  test("is stored with the type of its value", async () => {
    const values = Object.fromEntries(
      TYPES.flatMap(([each, row]) => [
        [`required_${each}`, row.initial],
        [`regex_${each}`, each === "multiselect" ? [] : each === "checkbox" ? false : ""],
      ]),
    );
    expect(await fixture.host.install(values)).toMatchObject({ ok: true });
    const installation = await fixture.host.installation();
    for (const key of [`default_${type}`, `required_${type}`, `hidden_${type}`])
      expect([key, installation?.values[key]]).toEqual([key, storedValue]);
  });
});

test("parameters of all types are filled in and stored by the page", async () => {
  await page.reload();
  for (const [type] of TYPES) expect(await shownValue(`required_${type}`)).toEqual(await shownValue(`default_${type}`));
  await form.save();
  await form.notice().getByText(STORED).waitFor();
});
