import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { IparamAttributes } from "@parley/contract";
import type { Page } from "playwright-core";
import { KEY } from "./account.ts";
import { fixture, setStage, STORED, SUFFIX, type Stage, type Visit } from "./install-stage.ts";

let stage: Stage;
let visit: Visit;
let page: Page;

beforeAll(async () => (stage = await setStage(fixture("install-callbacks"))));
afterAll(() => stage.close());
beforeEach(async () => {
  visit = await stage.visit();
  page = visit.page;
  await page.getByText("Loaded with fine.").waitFor();
});
afterEach(() => visit.leave());

const field = (key: string) => page.locator(`[data-field]:has([id="${key}"])`);
const errorOf = (key: string) => field(key).locator("[data-part=error]");
const hintOf = (key: string) => field(key).locator("[data-part=hint]");
const save = () => page.getByRole("button", { name: /^(Install|Save changes)$/ }).click();
const notice = () => page.locator("[data-notice]");
const leave = () => page.keyboard.press("Tab");
const calm = async (key: string) => field(key).locator("xpath=self::*[@aria-busy='false']").waitFor();

const set = async (key: string, attributes: IparamAttributes) => {
  await page.fill("[id=steer]", JSON.stringify([key, attributes]));
  await leave();
  await calm("steer");
};

test("onFormLoad runs before anything is touched, and utils.get reads the defaults", async () => {
  expect(await hintOf("text").textContent()).toBe("Loaded with fine.");
});

describe("utils.set changes", () => {
  test.each([
    ["text", "b c"],
    ["paragraph", "one\ntwo"],
    ["email", "a@b.co"],
    ["number", "12"],
    ["url", "https://example.com"],
    ["date", "2025-03-31"],
    ["phone", "+12025550147"],
    ["dropdown", "b"],
  ])("the value of %s", async (key, value) => {
    await set(key, { value });
    expect(await page.inputValue(`[id=${key}]`)).toBe(value);
  });

  test("the value of a domain, by its host", async () => {
    await set("domain", { value: `other${SUFFIX}` });
    expect(await page.inputValue("[id=domain]")).toBe("other");
  });

  test("the value of a radio, a multiselect and a checkbox", async () => {
    await set("radio", { value: "b" });
    await set("multiselect", { value: ["a"] });
    await set("checkbox", { value: true });
    expect(await page.getByRole("radio", { name: "b", checked: true }).count()).toBe(1);
    expect(await field("multiselect").getByRole("checkbox", { checked: true }).inputValue()).toBe("a");
    expect(await page.getByRole("checkbox", { name: "Checkbox" }).isChecked()).toBe(true);
  });

  test.each(["text", "paragraph", "dropdown", "radio", "multiselect", "checkbox", "number"])(
    "label, hint, necessity and visibility of %s",
    async (key) => {
      await set(key, { label: "Renamed", hint: "First line\nsecond <b>line</b>", required: true });
      expect(await field(key).getByText("Renamed", { exact: true }).isVisible()).toBe(true);
      expect(await hintOf(key).textContent()).toBe("First line\nsecond <b>line</b>");
      expect(await field(key).getByText("(required)").isVisible()).toBe(true);
      await set(key, { visible: false, required: false, hint: "" });
      expect(await field(key).isVisible()).toBe(false);
      await set(key, { visible: true });
      expect(await field(key).getByText("(required)").isVisible()).toBe(false);
      expect(await hintOf(key).isVisible()).toBe(false);
    },
  );

  test.each([
    ["text", "textbox"],
    ["dropdown", "combobox"],
    ["checkbox", "checkbox"],
  ] as const)("whether %s can be used", async (key, role) => {
    await set(key, { disabled: true });
    expect(await field(key).getByRole(role).isDisabled()).toBe(true);
    await set(key, { disabled: false });
    expect(await field(key).getByRole(role).isEnabled()).toBe(true);
  });

  test("whether each choice of a group can be used", async () => {
    await set("radio", { disabled: true });
    expect(await field("radio").getByRole("radio", { disabled: true }).count()).toBe(2);
  });

  test("the options, and keeps what is still among them", async () => {
    await set("dropdown", { value: "b", values: ["x", "b"] });
    expect(await page.inputValue("[id=dropdown]")).toBe("b");
    await set("dropdown", { values: ["x", "y"] });
    expect(await page.locator("[id=dropdown] option").allTextContents()).toEqual(["Choose…", "x", "y"]);
    expect(await page.inputValue("[id=dropdown]")).toBe("");
    await set("radio", { values: ["c", "a"] });
    expect(await field("radio").getByRole("radio", { name: "a", checked: true }).count()).toBe(1);
    await set("multiselect", { values: ["new <i>one</i>"] });
    expect(await field("multiselect").locator("label").allTextContents()).toEqual([" new <i>one</i>"]);
  });

  test("the limits of a number", async () => {
    await set("number", { min: 5, max: 7 });
    await page.fill("[id=number]", "9");
    await leave();
    expect(await errorOf("number").textContent()).toBe("Enter a number from 5 to 7.");
  });

  test.each<[string, object, string]>([
    ["text", { colour: "red" }, "utils.set: 'colour' is not an attribute"],
    ["text", { values: ["a"] }, "utils.set: 'values' applies to radio, multiselect, dropdown; 'text' is of type text."],
    ["text", { visible: "no" }, "utils.set: 'visible' of 'text' should be true or false."],
    ["nobody", { value: "a" }, "utils.set: no installation parameter matches 'nobody'."],
  ])("nothing where %s gets %j: its author reads why", async (key, attributes, message) => {
    await set(key, attributes);
    expect(await errorOf("steer").textContent()).toContain(message);
  });

  test("what is saved: options, limits and necessity hold on the server too", async () => {
    await page.fill("[id=domain]", "acme");
    await page.fill("[id=api_key]", KEY);
    await set("dropdown", { values: ["x"], value: "x" });
    await set("text", { required: true });
    await set("text", { visible: false });
    await set("number", { value: "3", min: 1 });
    await page.fill("[id=steer]", "");
    await save();
    await notice().getByText(STORED).waitFor();
    expect((await stage.host.installation())?.values).toMatchObject({ dropdown: "x", number: 3, text: "" });
  });
});

describe("a callback", () => {
  test("is called once typing rests, with the new value, and may refuse it", async () => {
    await page.locator("[id=answer]").pressSequentially("refuse Not like that.", { delay: 10 });
    await errorOf("answer").getByText("Not like that.").waitFor();
    expect(await page.getAttribute("[id=answer]", "aria-invalid")).toBe("true");
    expect(await page.inputValue("[id=answer]")).toBe("refuse Not like that.");
  });

  test("that refuses takes the value out when the field is left, and the person may have it back", async () => {
    await page.fill("[id=answer]", "refuse No.");
    await leave();
    await errorOf("answer").getByText("No.", { exact: true }).waitFor();
    expect(await page.inputValue("[id=answer]")).toBe("");
    expect(await field("answer").locator("pre").textContent()).toBe("refuse No.");
    await field("answer").getByRole("button", { name: "Put it back" }).click();
    expect(await page.inputValue("[id=answer]")).toBe("refuse No.");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("answer");
    expect(await errorOf("answer").textContent()).toBe("No.");
    await page.fill("[id=answer]", "fine");
    expect(await errorOf("answer").textContent()).toBe("");
  });

  test("that refused while a person types takes the value out as soon as the field is left", async () => {
    await page.fill("[id=answer]", "refuse No.");
    await errorOf("answer").getByText("No.", { exact: true }).waitFor();
    await leave();
    expect(await page.inputValue("[id=answer]")).toBe("");
  });

  test("that refuses makes the value empty for others, and nothing is saved until it is settled", async () => {
    await page.fill("[id=answer]", "refuse No.");
    await leave();
    await errorOf("answer").getByText("No.", { exact: true }).waitFor();
    await save();
    await notice().getByRole("link", { name: "Answer: No." }).waitFor();
    await field("answer").getByRole("button", { name: "Leave it empty" }).click();
    expect(await errorOf("answer").textContent()).toBe("");
  });

  test("that refuses a required value leaves no way to leave it empty", async () => {
    await page.fill("[id=strict]", "refuse No.");
    await leave();
    await errorOf("strict").getByText("No.", { exact: true }).waitFor();
    expect(await field("strict").getByRole("button").allTextContents()).toEqual(["Put it back"]);
  });

  test("that refuses a secret does not show it", async () => {
    await page.fill("[id=hidden_word]", "refuse No.");
    await leave();
    await errorOf("hidden_word").getByText("No.", { exact: true }).waitFor();
    expect(await field("hidden_word").locator("pre").textContent()).toBe("");
  });

  test("that refuses a choice takes it back", async () => {
    await page.selectOption("[id=pick]", "bad");
    await errorOf("pick").getByText("That one is taken.").waitFor();
    expect(await page.inputValue("[id=pick]")).toBe("");
    await page.selectOption("[id=pick]", "good");
    await calm("pick");
    expect(await errorOf("pick").textContent()).toBe("");
    expect(await page.inputValue("[id=pick]")).toBe("good");
  });

  test.each([
    ["anything", ""],
    ["refuse ", ""],
    ["resolve 1", ""],
    ["resolve 1 fine", ""],
    ["reject 1 No.", "No."],
    ["reject 1", "This value was refused."],
    ["fault 1 Broke.", "Broke."],
    ["throw Broke.", "The check of this field failed. Broke."],
  ])("that is told '%s' leaves the error '%s'", async (order, error) => {
    await page.fill("[id=answer]", order);
    await leave();
    await calm("answer");
    expect(await errorOf("answer").textContent()).toBe(error);
    expect(visit.errors.join().includes("Broke.")).toBe(order.startsWith("throw"));
  });

  test("that takes its time says so, in words and to assistive technology", async () => {
    await page.fill("[id=answer]", "resolve 1000");
    await leave();
    await field("answer").getByText("Checking…").waitFor();
    expect(await field("answer").getAttribute("aria-busy")).toBe("true");
    await calm("answer");
    expect(await field("answer").getByText("Checking…").count()).toBe(0);
  });

  test("whose older answer comes late changes nothing after the newer one", async () => {
    await page.fill("[id=answer]", "reject 900 Old.");
    await leave();
    await field("answer").getByText("Checking…").waitFor();
    await page.fill("[id=answer]", "resolve 1");
    await page.locator("[id=answer]").blur();
    await calm("answer");
    await page.waitForTimeout(1_000);
    expect(await errorOf("answer").textContent()).toBe("");
    expect(await page.inputValue("[id=answer]")).toBe("resolve 1");
    expect(await page.inputValue("[id=text]")).toBe("resolve 1");
  });

  test("is asked before saving too, where no change has been", async () => {
    await set("strict", { value: "refuse Not this." });
    await page.fill("[id=steer]", "");
    await save();
    await notice().getByRole("link", { name: "Strict: Not this." }).waitFor();
    expect(await page.inputValue("[id=strict]")).toBe("");
  });

  test("that broke keeps the form from being saved", async () => {
    await page.fill("[id=answer]", "throw Broke.");
    await save();
    await notice().getByRole("link", { name: "Answer: The check of this field failed. Broke." }).waitFor();
    expect(await page.inputValue("[id=answer]")).toBe("throw Broke.");
  });
});

describe("a callback's client", () => {
  test("asks by the app's templates with what is typed, and needs no secret for it", async () => {
    await page.fill("[id=domain]", "acme");
    await page.fill("[id=api_key]", KEY);
    await page.fill("[id=groups]", "1");
    await hintOf("dropdown").getByText("200 after 1").waitFor();
    expect(await page.locator("[id=dropdown] option").allTextContents()).toEqual(["Choose…", "Sales", "Support"]);
    expect(stage.account.asked.at(-1)).toEqual({ path: "/v2/groups?after=1", authorization: `Bearer ${KEY}` });
  });

  test("is told how a request failed", async () => {
    await page.fill("[id=domain]", "acme");
    await page.fill("[id=api_key]", "wrong");
    await page.fill("[id=groups]", "1");
    await errorOf("groups").getByText("The groups can't be read: 401").waitFor();
  });

  test("uses the stored key for the stored account, and for no other", async () => {
    await stage.host.install({ domain: "acme", api_key: KEY });
    await page.reload();
    await page.getByText("Loaded with fine.").waitFor();
    await page.fill("[id=groups]", "2");
    await hintOf("dropdown").getByText("200 after 1").waitFor();
    await page.fill("[id=domain]", "other");
    const before = stage.account.asked.length;
    await page.fill("[id=groups]", "3");
    await errorOf("groups").getByText("The groups can't be read").waitFor();
    expect(stage.account.asked.slice(before).map(({ authorization }) => authorization)).not.toContain(`Bearer ${KEY}`);
  });

  test("knows the account's address and the app's modules", async () => {
    await page.fill("[id=domain]", "acme");
    await leave();
    await hintOf("text").getByText(`acme${SUFFIX} https://acme${SUFFIX} common,chat_conversation`).waitFor();
  });

  test("has the stored values but no secure one", async () => {
    await stage.host.install({ domain: "acme", api_key: KEY, email: "a@b.co" });
    await page.reload();
    await page.getByText("Loaded with fine.").waitFor();
    await page.fill("[id=probe]", "values");
    await hintOf("text").getByText('"email":"a@b.co"').waitFor();
    expect(await hintOf("text").textContent()).not.toContain(KEY);
    await page.fill("[id=probe]", "one email");
    await hintOf("text").getByText("a@b.co", { exact: true }).waitFor();
    await page.fill("[id=probe]", "one api_key");
    await errorOf("probe").getByText("The installation parameter 'api_key' is secure").waitFor();
    await page.fill("[id=probe]", "one nobody");
    await errorOf("probe").getByText("No installation parameter matches the key 'nobody'.").waitFor();
  });
});
