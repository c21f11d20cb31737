import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Frame, Page } from "playwright-core";
import { frameOf, frontFixture, settledState, VALUES, type FrontFixture } from "./front-fixture.ts";
import { openPageBeforeEach } from "../support/page-per-test.ts";

const messageWith = (text: string): unknown => expect.stringContaining(text);

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

describe("setValue", () => {
  sharePage();

  test.each([
    [{ value: "new" }, "old new|text"],
    [{ text: "new" }, "old new|text"],
    [{ text: "new", replace: true }, "new|"],
    [{ text: "new ", position: "start" }, "new |old text"],
    [{ text: " new", replace: false, position: "end" }, "old text new|"],
  ])("with %j inserts the text into the editor", async (options, wanted) => {
    const editor = page.locator("#editor");
    await editor.fill("old text");
    await editor.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(4, 4));
    expect((await trigger("setValue", { id: "editor", ...options }))[0]).toBe("ok");
    const value = await editor.evaluate(
      ({ value, selectionStart: at }: HTMLTextAreaElement) => `${value.slice(0, at)}|${value.slice(at)}`,
    );
    expect(value).toBe(wanted);
  });

  test.each([
    ["an unknown element", { id: "priority", value: "x" }],
    ["a value that is not a text", { id: "editor" }],
    ["a text over the limit", { id: "editor", text: "x".repeat(70_000) }],
    ["nothing", {}],
  ])("with %s is rejected", async (_title, options) => {
    await page.fill("#editor", "text");
    expect(await trigger("setValue", options)).toMatchObject(["no", { status: 400 }]);
    expect(await page.inputValue("#editor")).toBe("text");
  });
});

test("elements of the page are hidden, shown, disabled, enabled and clicked by name", async () => {
  const resolve = page.getByRole("button", { name: "Resolve" });
  await trigger("hide", { id: "resolve" });
  expect(await resolve.isVisible()).toBe(false);
  await trigger("showElement", { id: "resolve" });
  expect(await resolve.isVisible()).toBe(true);
  await trigger("disable", { id: "send" });
  expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(false);
  expect(await trigger("click", { id: "send" })).toMatchObject(["no", { message: messageWith("disabled") }]);
  await trigger("enableElement", { id: "send" });
  await trigger("setValue", { id: "editor", text: "Sent by the app" });
  await trigger("click", { id: "send" });
  await page.locator("[data-messages]").getByText("Sent by the app").waitFor();
  const unknown = await trigger("hide", { id: "softphone" });
  expect(unknown).toMatchObject(["no", { message: messageWith("editor, send") }]);
});

test("an unknown action is rejected with the known ones", async () => {
  expect(await trigger("dance", {})).toMatchObject(["no", { status: 404, message: messageWith("showNotify") }]);
  expect(await trigger("constructor", {})).toMatchObject(["no", { status: 404 }]);
});

describe("client.instance.resize", () => {
  sharePage();

  test.each([
    ["'500px'", 500],
    ["320", 320],
    ["'1px'", 40],
    ["-1", 40],
    ["1e9", 2_000],
  ])("to %s makes the frame %d pixels high", async (height, wanted) => {
    expect((await settledState(frame, `client.instance.resize({ height: ${height} })`))[0]).toBe("ok");
    expect((await page.locator("iframe[title*=user]").boundingBox())?.height).toBe(wanted);
  });

  test.each(['{ height: "tall" }', "{ height: NaN }", "{ height: Infinity }", "{ height: {} }", "{}", "null", ""])(
    "to %s is rejected",
    async (options) => {
      expect(await settledState(frame, `client.instance.resize(${options})`)).toMatchObject(["no", { status: 400 }]);
    },
  );
});

describe("an app's event interceptor", () => {
  const listen = (event: string, body: string) =>
    frame.evaluate(`client.events.on("${event}", function (event) { ${body} }, { intercept: true })`);
  const sent = () =>
    fixture.service.requests.filter((request) => request === "POST /v2/conversations/c-1/messages").length;
  const send = async (text: string) => {
    await page.fill("#editor", text);
    await page.getByRole("button", { name: "Send" }).click();
  };

  test("stops a message with its reason", async () => {
    const before = sent();
    await listen("conversation.onSendMessage", "event.helper.fail('Not ' + event.helper.getData().message)");
    await send("rude");
    await page.locator("[data-error]").getByText("Not rude").waitFor();
    expect(sent()).toBe(before);
    expect(await page.inputValue("#editor")).toBe("rude");
  });

  test("lets a message pass", async () => {
    const before = sent();
    await listen("conversation.onSendMessage", "setTimeout(() => event.helper.done(), 20)");
    await send("kind words");
    await page.locator("[data-messages]").getByText("kind words").waitFor();
    expect(sent()).toBe(before + 1);
  });

  test("stops a resolve", async () => {
    await listen("conversation.onResolveClick", "event.helper.fail('Not yet')");
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.locator("[data-error]").getByText("Not yet").waitFor();
    expect(fixture.service.conversations.get("c-1")?.status).toBe("new");
  });
});
