import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { campaignTest, sampleRows } from "../../../../test/support/campaign.ts";
import type { Frame, Page } from "playwright-core";
import {
  accessibilityViolations,
  frameOf,
  waitForExpression,
  frontFixture,
  settledState,
  VALUES,
  type FrontFixture,
} from "./front-fixture.ts";
import { openPageBeforeEach } from "../support/page-per-test.ts";

let fixture: FrontFixture;
let page: Page;
let frame: Frame;
beforeAll(async () => {
  fixture = await frontFixture("front-pages");
  fixture.service.createConversation("c-1", "Sam", "Where is my order?");
  await fixture.host.install(VALUES);
});
afterAll(() => fixture.close());
const { sharePage } = openPageBeforeEach(async () => {
  await page?.context().close();
  page = await fixture.visit();
  frame = await frameOf(page, "index.html");
});

const trigger = (action: string, options: unknown) =>
  settledState(frame, `client.interface.trigger("${action}", ${JSON.stringify(options)})`);

describe("showNotify", () => {
  test.each(sampleRows(["info", "success", "warning", "alert", "danger", "error"], 2))(
    "shows a notification of the type %s",
    async (type) => {
      expect((await trigger("showNotify", { type, title: "Title", message: `A <b>${type}</b>` }))[0]).toBe("ok");
      const notice = page.locator(`[data-notices] [data-kind=${type}]`);
      // A notice under the pointer stays.
      await notice.hover();
      expect(await notice.textContent()).toContain(`TitleA <b>${type}</b>`);
      expect(await accessibilityViolations(page)).toEqual([]);
      await notice.getByRole("button", { name: "Dismiss" }).click();
      expect(await notice.count()).toBe(0);
    },
  );

  campaignTest("truncates long notifications, and all of them can be dismissed", async () => {
    for (const type of ["danger", "error", "danger", "error", "danger"])
      await trigger("showNotify", { type, title: "T".repeat(50_000), message: "<b>long</b> ".repeat(9_000) });
    const notices = page.locator("[data-notices] .toast");
    expect(await notices.count()).toBe(4);
    expect(await notices.last().textContent()).toMatch(/^T{79}…<b>long<\/b>.{150,240}…✕$/);
    expect(await accessibilityViolations(page)).toEqual([]);
    for (let left = 4; left > 0; left -= 1) await notices.last().getByRole("button", { name: "Dismiss" }).click();
    expect(await notices.count()).toBe(0);
  });

  test("rejects an unknown type with the known ones", async () => {
    const answer = await trigger("showNotify", { type: "loud", message: "x" });
    expect(answer).toMatchObject(["no", { status: 400 }]);
    expect(JSON.stringify(answer)).toContain("success");
    expect(await page.locator("[data-notices] > *").count()).toBe(0);
  });
});

describe("showConfirm", () => {
  test.each([
    ["Do it", (on: Page) => on.getByRole("button", { name: "Do it" }).click()],
    ["Leave it", (on: Page) => on.getByRole("button", { name: "Leave it" }).click()],
    ["Leave it", (on: Page) => on.keyboard.press("Escape")],
  ])("resolves to the label '%s', and the focus returns into the app", async (label, choose) => {
    await frame.locator("#ask").click();
    const dialog = page.getByRole("dialog", { name: "Sure?" });
    await dialog.getByText("Really do it").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await choose(page);
    await frame.locator("#state").getByText(label).waitFor();
    await waitForExpression(frame, "document.activeElement.id === 'ask'");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("IFRAME");
    expect(await page.locator("dialog").count()).toBe(0);
  });

  campaignTest("keeps the focus if the app's frame takes it while the dialog is open", async () => {
    await frame.locator("#ask").click();
    await page.getByRole("dialog", { name: "Sure?" }).waitFor();
    await frame.evaluate("window.focus()");
    await page.locator("dialog button:focus").waitFor();
    await page.keyboard.press("Escape");
    await frame.locator("#state").getByText("Leave it").waitFor();
  });

  campaignTest("opened without a focused element gives the focus to the app afterwards", async () => {
    expect(await page.evaluate("document.activeElement.tagName")).toBe("BODY");
    const answer = trigger("showConfirm", { title: "Sure?", message: "Really do it", cancelLabel: "Leave it" });
    await page.getByRole("button", { name: "Leave it" }).click();
    expect(await answer).toMatchObject(["ok", { success: false }]);
    expect(await page.evaluate("document.activeElement.tagName")).toBe("IFRAME");
  });
});

describe("a dialog of the app", () => {
  campaignTest.each(["showModal", "showDialog"])(
    "opens by %s with its data, exchanges messages with its parent and closes itself",
    async (action) => {
      const opened = await trigger(action, { title: "More", template: "dialogs/child.html", data: { n: 7 } });
      expect(opened[0]).toBe("ok");
      await page.getByRole("dialog", { name: "More" }).waitFor();
      const child = await frameOf(page, "dialogs/child.html");
      await child.locator("#state").getByText("Active").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await settledState(child, "client.instance.context()")).toMatchObject([
        "ok",
        { data: { n: 7 }, parentId: expect.any(String) as unknown },
      ]);

      await settledState(child, `client.instance.send({ message: { from: "child" } })`);
      await waitForExpression(frame, `heard.some((one) => one.message?.from === "child")`);
      await settledState(frame, `client.instance.send({ message: { from: "parent" } })`);
      await waitForExpression(child, `heard.some((one) => one.message?.from === "parent")`);
      const others = await settledState(frame, "client.instance.get()");
      expect(JSON.stringify(others)).toContain(action === "showModal" ? '"modal"' : '"dialog"');

      // Deferred by a timer: the frame may be removed before the browser returns the result of the evaluation.
      await child.evaluate("void setTimeout(() => client.instance.close())");
      await page.locator("dialog").waitFor({ state: "detached" });
      const unanswered = await settledState(frame, `client.instance.send({ message: 1 })`);
      expect(unanswered).toMatchObject(["no", { status: 404 }]);
    },
  );

  campaignTest("closes with the keyboard, and the focus returns to the button that opened it", async () => {
    await frame.locator("#show").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "A page" });
    await dialog.waitFor();
    expect(await dialog.locator(":focus").getAttribute("aria-label")).toBe("Close A page");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await waitForExpression(frame, "document.activeElement.id === 'show'");
  });

  campaignTest("is rejected if too many are open, and all of them can be closed", async () => {
    const outcomes = await frame.evaluate<string[]>(`Promise.all(Array.from({ length: 100 }, (_, n) =>
      client.interface.trigger(n % 2 ? "showConfirm" : "showModal", { title: "No. " + n, template: "dialogs/child.html" })
        .then(() => "ok", ({ status }) => String(status))).filter((_, n) => n % 2 === 0 || n > 10))`);
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(4);
    expect(new Set(outcomes)).toEqual(new Set(["ok", "429"]));
    const dialogs = page.locator("dialog[open]");
    expect(await dialogs.count()).toBe(8);
    for (let left = 8; left > 0; left -= 1) {
      await dialogs.last().getByRole("button").first().click();
      await dialogs.nth(left - 1).waitFor({ state: "detached" });
    }
  });

  campaignTest("receives messages to its id only", async () => {
    const open = async () => {
      const [, value] = await settledState(
        frame,
        `client.interface.trigger("showModal", { title: "x", template: "dialogs/child.html" })`,
      );
      return (value as { instanceId: string }).instanceId;
    };
    const ids = [await open(), await open(), await open()];
    await page.locator("dialog iframe").nth(2).waitFor();
    const frames = await Promise.all(
      (await page.locator("dialog iframe").elementHandles()).map((element) => element.contentFrame()),
    );
    const children = frames.filter((child) => child !== null);
    for (const child of children) {
      await waitUntil(() => child.url().includes("/dialogs/child.html"));
      await waitForExpression(child, "window.client !== undefined");
    }
    await settledState(frame, `client.instance.send({ message: "two", receiver: ${JSON.stringify(ids.slice(0, 2))} })`);
    await settledState(frame, `client.instance.send({ message: "one", receiver: "${ids[2]}" })`);
    const messages = `heard.flatMap((one) => one.message ?? [])`;
    for (const [n, wanted] of ["two", "two", "one"].entries()) {
      const child = children[n] ?? frame;
      await waitForExpression(child, `${messages}.length > 0`);
      expect(await child.evaluate(messages)).toEqual([wanted]);
    }
    expect(await settledState(frame, `client.instance.send({ message: 1, receiver: ["none"] })`)).toMatchObject([
      "no",
      { status: 404 },
    ]);
  });

  describe("for a page that is not in app/", () => {
    sharePage();

    test.each([
      "../../manifest.json",
      "https://elsewhere.example/x.html",
      "//elsewhere.example/x",
      "/custom_configs",
      "",
    ])("is rejected: '%s'", async (template) => {
      expect(await trigger("showModal", { title: "x", template })).toMatchObject(["no", { status: 400 }]);
      expect(await page.locator("dialog").count()).toBe(0);
    });
  });
});
