import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sampleRows } from "../../../../test/support/campaign.ts";
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
  type PageVisit,
} from "./install-fixture.ts";
import { openPageBeforeEach } from "../support/page-per-test.ts";

/**
 * Attributes of `utils.set` by kind of parameter:
 *
 * | attribute | kinds | test |
 * |---|---|---|
 * | value | all | the value of … |
 * | label, hint, visible, required | all | label, hint, necessity and visibility of …, what is required of all kinds |
 * | disabled | all | whether … can be used |
 * | values | dropdown, radio, multiselect | the options |
 * | min, max | number | the limits of a number |
 */
const KINDS = [
  "text",
  "paragraph",
  "dropdown",
  "email",
  "number",
  "phone",
  "date",
  "url",
  "radio",
  "checkbox",
  "multiselect",
  "domain",
  "api_key",
];

let fixture: InstallFixture;
let visit: PageVisit | undefined;
let page: Page;
let form: InstallForm;

beforeAll(async () => {
  fixture = await installFixture(fixtureFolder("install-callbacks"));
});
afterAll(async () => {
  await visit?.leave();
  await fixture.close();
});
const { sharePage } = openPageBeforeEach(async () => {
  await visit?.leave();
  visit = await fixture.visit();
  page = visit.page;
  form = formOn(page);
  await page.getByText("Loaded with fine.").waitFor();
});

describe("utils.set changes", () => {
  describe("the value", () => {
    sharePage();

    test.each([
      ["text", "b c"],
      ["paragraph", "one\ntwo"],
      ["email", "a@b.co"],
      ["number", "12"],
      ["url", "https://example.com"],
      ["date", "2025-03-31"],
      ["phone", "+12025550147"],
      ["dropdown", "b"],
      ["api_key", "key-1"],
    ])("of %s", async (key, value) => {
      await form.set(key, { value });
      expect(await page.inputValue(`[id=${key}]`)).toBe(value);
    });
  });

  test("the value of a domain, by its host", async () => {
    await form.set("domain", { value: `other${SUFFIX}` });
    expect(await page.inputValue("[id=domain]")).toBe("other");
  });

  test("the value of a radio, a multiselect and a checkbox", async () => {
    await form.set("radio", { value: "b" });
    await form.set("multiselect", { value: ["a"] });
    await form.set("checkbox", { value: true });
    expect(await page.getByRole("radio", { name: "b", checked: true }).count()).toBe(1);
    expect(await form.field("multiselect").getByRole("checkbox", { checked: true }).inputValue()).toBe("a");
    expect(await page.getByRole("checkbox", { name: "Checkbox" }).isChecked()).toBe(true);
  });

  describe("label, hint, requirement and visibility", () => {
    sharePage();

    test.each(sampleRows(KINDS, 4))("of %s", async (key) => {
      await form.set(key, { label: "Renamed", hint: "First line\nsecond <b>line</b>", required: true });
      expect(await form.field(key).getByText("Renamed", { exact: true }).isVisible()).toBe(true);
      expect(await form.hintOf(key).textContent()).toBe("First line\nsecond <b>line</b>");
      expect(await form.field(key).getByText("(required)").isVisible()).toBe(true);
      await form.set(key, { visible: false, required: false, hint: "" });
      expect(await form.field(key).isVisible()).toBe(false);
      await form.set(key, { visible: true });
      expect(await form.field(key).getByText("(required)").isVisible()).toBe(false);
      expect(await form.hintOf(key).isVisible()).toBe(false);
    });
  });

  describe("whether", () => {
    sharePage();

    test.each(sampleRows(KINDS, 4))("%s is enabled", async (key) => {
      const usable = form.field(key).locator("input, textarea, select");
      await form.set(key, { disabled: true });
      for (const control of await usable.all()) expect(await control.isDisabled()).toBe(true);
      await form.set(key, { disabled: false });
      for (const control of await usable.all()) expect(await control.isEnabled()).toBe(true);
    });
  });

  test("the requirement of all kinds, in both directions", async () => {
    for (const key of KINDS) await form.set(key, { required: true, ...(key === "multiselect" ? { value: [] } : {}) });
    await form.set("radio", { values: [] });
    await form.save();
    await form.notice().getByText("Validation failed.").waitFor();
    for (const key of KINDS) {
      expect([key, await form.errorOf(key).textContent()]).toEqual([key, "This field is required!"]);
    }
    for (const box of await form.field("multiselect").or(form.field("checkbox")).locator("input").all())
      expect(await box.evaluate((node) => getComputedStyle(node).outlineStyle)).toBe("solid");
    for (const key of KINDS) await form.set(key, { required: false });
    await page.fill("[id=steer]", "");
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    await fixture.host.uninstall();
  });

  test("the options, and keeps selected ones that still exist", async () => {
    await form.set("dropdown", { value: "b", values: ["x", "b"] });
    expect(await page.inputValue("[id=dropdown]")).toBe("b");
    await form.set("dropdown", { values: ["x", "y"] });
    expect(await page.locator("[id=dropdown] option").allTextContents()).toEqual(["Choose…", "x", "y"]);
    expect(await page.inputValue("[id=dropdown]")).toBe("");
    await form.set("radio", { values: ["c", "a"] });
    expect(await form.field("radio").getByRole("radio", { name: "a", checked: true }).count()).toBe(1);
    await form.set("multiselect", { values: ["new <i>one</i>"] });
    expect(await form.field("multiselect").locator("label").allTextContents()).toEqual([" new <i>one</i>"]);
  });

  test("the limits of a number", async () => {
    await form.set("number", { min: 5, max: 7 });
    await page.fill("[id=number]", "9");
    await form.leave();
    expect(await form.errorOf("number").textContent()).toBe("Enter a number from 5 to 7.");
    await form.set("number", { max: 9 });
    await page.fill("[id=number]", "4");
    await form.leave();
    expect(await form.errorOf("number").textContent()).toBe("Enter a number from 5 to 9.");
  });

  test.each<[string, object, string]>([
    ["text", { colour: "red" }, "utils.set: 'colour' is not an attribute"],
    ["text", { values: ["a"] }, "utils.set: 'values' applies to radio, multiselect, dropdown; 'text' is of type text."],
    ["text", { visible: "no" }, "utils.set: 'visible' of 'text' should be true or false."],
    ["nobody", { value: "a" }, "utils.set: no installation parameter matches 'nobody'."],
  ])("nothing for %s with %j, and reports the reason to the author", async (key, attributes, message) => {
    await form.set(key, attributes);
    expect(await form.errorOf("steer").textContent()).toContain(message);
  });

  test("the checks of a save: options, limits and requirement apply on the server too", async () => {
    await page.fill("[id=domain]", "acme");
    await page.fill("[id=api_key]", KEY);
    await form.set("dropdown", { values: ["x"], value: "x" });
    await form.set("text", { required: true });
    await form.set("text", { visible: false });
    await form.set("number", { value: "3", min: 1 });
    await page.fill("[id=steer]", "");
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    expect((await fixture.host.installation())?.values).toMatchObject({ dropdown: "x", number: 3, text: "" });
  });
});
