import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../test/support/campaign.ts";
import type { Page } from "playwright-core";
import { KEY } from "../support/fake-account.ts";
import { fixtureFolder, formOn, installFixture, SUFFIX, type InstallForm, type PageVisit } from "./install-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

let visit: PageVisit;
let page: Page;
let form: InstallForm;

const fixture = fileFixture(() => installFixture(fixtureFolder("install-callbacks")));
beforeEach(async () => {
  visit = await fixture.visit();
  page = visit.page;
  form = formOn(page);
  await page.getByText("Loaded with fine.").waitFor();
});
afterEach(() => visit.leave());

campaignTest("onFormUnload runs when the page is left, and reads the newest entry", async () => {
  const messages: string[] = [];
  page.on("console", (message) => void messages.push(message.text()));
  await page.fill("[id=text]", "almost done");
  // The frame runs in another process. It receives typed values before a person could leave the page, but after this test could.
  const frame = page.frames().find((one) => one.url().endsWith("/custom_configs/frame"));
  await frame?.waitForFunction("utils.get('text') === 'almost done'");
  await page.reload();
  await page.getByText("Loaded with fine.").waitFor();
  expect(messages).toContain("unloaded with almost done");
});

test("an error outside a callback is shown on the page for its author", async () => {
  await page.fill("[id=probe]", "stray x");
  await page.getByRole("alert").getByText("utils.set: 'colour' is not an attribute").waitFor();
});

test("onFormLoad runs before any entry, and utils.get reads the defaults", async () => {
  expect(await form.hintOf("text").textContent()).toBe("Loaded with fine.");
});

describe("a callback", () => {
  test("is called when typing pauses, with the new value, and may reject it", async () => {
    await page.locator("[id=answer]").pressSequentially("refuse Not like that.", { delay: 10 });
    await form.errorOf("answer").getByText("Not like that.").waitFor();
    expect(await page.getAttribute("[id=answer]", "aria-invalid")).toBe("true");
    expect(await page.inputValue("[id=answer]")).toBe("refuse Not like that.");
  });

  campaignTest(
    "that rejects keeps the text, which counts as empty for other callbacks until its correction",
    async () => {
      await page.fill("[id=answer]", "refuse No.");
      await form.leave();
      await form.errorOf("answer").getByText("No.", { exact: true }).waitFor();
      expect(await page.inputValue("[id=answer]")).toBe("refuse No.");
      const frame = page.frames().find((one) => one.url().endsWith("/custom_configs/frame"));
      await page.fill("[id=text]", "of another field");
      await frame?.waitForFunction("utils.get('text') === 'of another field' && utils.get('answer') === ''");
      await form.save();
      await form.notice().getByRole("link", { name: "Answer: No." }).click();
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("answer");
      await page.fill("[id=answer]", "fine");
      expect(await form.errorOf("answer").textContent()).toBe("");
    },
  );

  campaignTest("that rejects and then accepts before saving lets the value be saved", async () => {
    await page.fill("[id=answer]", "unless there");
    await form.leave();
    await form.errorOf("answer").getByText("Not without it.").waitFor();
    await page.fill("[id=text]", "there");
    await form.leave();
    await form.save();
    await form
      .notice()
      .getByText(/successfully/)
      .waitFor();
    await page.reload();
    expect(await page.inputValue("[id=answer]")).toBe("unless there");
  });

  test("that rejects a choice shows the error beside it", async () => {
    await page.selectOption("[id=pick]", "bad");
    await form.errorOf("pick").getByText("That one is taken.").waitFor();
    expect(await page.inputValue("[id=pick]")).toBe("bad");
    await page.selectOption("[id=pick]", "good");
    await form.waitForCheck("pick");
    expect(await form.errorOf("pick").textContent()).toBe("");
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
    ["typo 1", "The check of this field failed. Cannot read properties of undefined (reading 'name')"],
  ])("with the input '%s' produces the error '%s'", async (order, error) => {
    await page.fill("[id=answer]", order);
    await form.leave();
    await form.waitForCheck("answer");
    expect(await form.errorOf("answer").textContent()).toBe(error);
    expect(visit.errors.length > 0).toBe(/^(?:throw|typo)/.test(order));
  });

  campaignTest("with a delay shows that it is running, also to assistive technology", async () => {
    await page.fill("[id=answer]", "resolve held");
    await form.leave();
    await form.field("answer").getByText("Checking…").waitFor();
    expect(await form.field("answer").getAttribute("aria-busy")).toBe("true");
    await page.fill("[id=steer]", "release");
    await form.waitForCheck("answer");
    expect(await form.field("answer").getByText("Checking…").count()).toBe(0);
  });

  campaignTest("with a late result of an older call does not override the newer one", async () => {
    await page.fill("[id=answer]", "reject held Old.");
    await form.leave();
    await form.field("answer").getByText("Checking…").waitFor();
    await page.fill("[id=answer]", "resolve 1");
    await page.locator("[id=answer]").blur();
    await page.fill("[id=steer]", "release");
    while ((await page.inputValue("[id=text]")) !== "resolve 1") await page.waitForTimeout(20);
    await form.waitForCheck("answer");
    expect(await form.errorOf("answer").textContent()).toBe("");
    expect(await page.inputValue("[id=answer]")).toBe("resolve 1");
    expect(await page.inputValue("[id=text]")).toBe("resolve 1");
  });

  test("runs before saving too, for an unchanged value", async () => {
    await form.set("strict", { value: "refuse Not this." });
    await page.fill("[id=steer]", "");
    await form.save();
    await form.notice().getByRole("link", { name: "Strict: Not this." }).waitFor();
    expect(await page.inputValue("[id=strict]")).toBe("refuse Not this.");
  });

  test("that throws prevents saving", async () => {
    await page.fill("[id=answer]", "throw Broke.");
    await form.save();
    await form.notice().getByRole("link", { name: "Answer: The check of this field failed. Broke." }).waitFor();
    expect(await page.inputValue("[id=answer]")).toBe("throw Broke.");
  });
});

describe("a callback's client", () => {
  campaignTest(
    "sends requests of the app's templates with the entered values and without needing a secret",
    async () => {
      await page.fill("[id=domain]", "acme");
      await page.fill("[id=api_key]", KEY);
      await page.fill("[id=groups]", "1");
      await form.hintOf("dropdown").getByText("200 after 1").waitFor();
      expect(await page.locator("[id=dropdown] option").allTextContents()).toEqual(["Choose…", "Sales", "Support"]);
      expect(fixture.account.requests.at(-1)).toEqual({ path: "/v2/groups?after=1", authorization: `Bearer ${KEY}` });
    },
  );

  campaignTest("receives the failure of a request", async () => {
    await page.fill("[id=domain]", "acme");
    await page.fill("[id=api_key]", "wrong");
    await page.fill("[id=groups]", "1");
    await form.errorOf("groups").getByText("The groups can't be read: 401").waitFor();
  });

  test("supports the verbs, which this platform-version doesn't include elsewhere", async () => {
    await page.fill("[id=probe]", `verb https://acme${SUFFIX}/v2/groups`);
    await form.errorOf("probe").getByText("400 request.get is not known to platform-version 3.0").waitFor();
  });

  campaignTest("uses the stored key for the stored account and for no other", async () => {
    await fixture.host.install({ domain: "acme", api_key: KEY });
    await page.reload();
    await page.getByText("Loaded with fine.").waitFor();
    await page.fill("[id=groups]", "2");
    await form.hintOf("dropdown").getByText("200 after 1").waitFor();
    await page.fill("[id=domain]", "other");
    const before = fixture.account.requests.length;
    await page.fill("[id=groups]", "3");
    await form.errorOf("groups").getByText("The groups can't be read").waitFor();
    expect(fixture.account.requests.slice(before).map(({ authorization }) => authorization)).not.toContain(
      `Bearer ${KEY}`,
    );
  });

  test("returns the account's URL and the app's modules", async () => {
    await page.fill("[id=domain]", "acme");
    await form.leave();
    await form.hintOf("text").getByText(`acme${SUFFIX} https://acme${SUFFIX} chat_conversation`).waitFor();
  });

  campaignTest("returns the stored values except secure values", async () => {
    await fixture.host.install({ domain: "acme", api_key: KEY, email: "a@b.co" });
    await page.reload();
    await page.getByText("Loaded with fine.").waitFor();
    await page.fill("[id=probe]", "values");
    await form.hintOf("text").getByText('"email":"a@b.co"').waitFor();
    expect(await form.hintOf("text").textContent()).not.toContain(KEY);
    await page.fill("[id=probe]", "one email");
    await form.hintOf("text").getByText('{"email":"a@b.co"}', { exact: true }).waitFor();
    await page.fill("[id=probe]", "one api_key");
    await form.errorOf("probe").getByText("The installation parameter 'api_key' is secure").waitFor();
    await page.fill("[id=probe]", "one nobody");
    await form.errorOf("probe").getByText("No installation parameter matches the key 'nobody'.").waitFor();
  });
});
