import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { ConsoleApp } from "@parley/contract";
import type { Browser, Frame } from "playwright-core";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { settledState, waitForExpression } from "../../framework/test/front/front-fixture.ts";
import {
  COOKIE_CONTROL_ARGUMENTS,
  frontPagesFiles,
  openConsolePage,
  signInToConsole,
  type ConsolePage,
  type ConsoleSession,
} from "./console-page-harness.ts";
import { createAgent } from "./platform-browser-sessions.ts";
import { ADMIN_KEY, platformHarness, type PlatformHarness } from "./platform-harness.ts";

/** A published app inside a page of the console, in a browser that blocks third-party cookies. */

const SIDEBAR = "chat_conversation.conversation_user_info";
const PANEL = "common.left_nav_chat";

let platform: PlatformHarness;
let browser: Browser;
let origin: string;
let session: ConsoleSession;
let conversation: string;
let app: ConsoleApp;
let open: ConsolePage | undefined;

beforeAll(async () => {
  [platform, browser] = await Promise.all([platformHarness(), launchBrowser(COOKIE_CONTROL_ARGUMENTS)]);
  origin = `http://localhost:${platform.service.port}`;
  await platform.publish(await frontPagesFiles(), "name=front-pages&version=1.0.0");
  await platform.install("acme", { name: "front-pages" });
  conversation = await platform.write("acme", "Where is my order?");
  const agent = await createAgent(platform, "acme", "AGENT");
  session = await signInToConsole(origin, ADMIN_KEY, { account: "acme", agent });
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
});
afterEach(() => open?.context.close());

const openPage = async (): Promise<ConsolePage> => {
  open = await openConsolePage({ browser, origin, session });
  return open;
};
/** Embeds a place and waits for the app's page. */
const embedded = async (place = SIDEBAR, file = "index.html"): Promise<{ host: ConsolePage; frame: Frame }> => {
  const host = await openPage();
  [app = { name: "", title: "", origin: "", places: [] }] = await host.apps();
  await host.embed(app, place, conversation);
  return { host, frame: await host.appFrame(file) };
};
const trigger = (frame: Frame, action: string, options: unknown) =>
  settledState(frame, `client.interface.trigger("${action}", ${JSON.stringify(options)})`);

describe("an app in a frame of the console", () => {
  test("is listed with its places, and shows the open conversation to the signed-in agent", async () => {
    const { host, frame } = await embedded();
    expect(app).toMatchObject({
      name: "front-pages",
      origin: `http://front-pages--acme.apps.localhost:${platform.platform.port}`,
    });
    expect(app.places.map(({ id, kind }) => [id, kind])).toEqual([
      ["common.full_page_app", "page"],
      [PANEL, "panel"],
      [SIDEBAR, "sidebar"],
      ["chat_conversation.conversation_message_editor", "editor"],
      ["chat_conversation.conversation_background", "background"],
    ]);
    expect(app.places[0]?.icon_url).toMatch(/^data:image\/svg\+xml;base64,/);
    expect(await settledState(frame, `client.data.get("conversation")`)).toMatchObject([
      "ok",
      { conversation: { conversation_id: conversation } },
    ]);
    expect(await settledState(frame, `client.data.get("loggedInAgent")`)).toMatchObject([
      "ok",
      { loggedInAgent: { id: session.agentId } },
    ]);
    await frame.getByText("Active").waitFor();
    await host.act("ready");
    expect((await host.context.cookies()).map(({ domain }) => domain)).toEqual(["localhost"]);
  });

  test("has parameters, records, functions and requests", async () => {
    const { frame } = await embedded();
    expect(await settledState(frame, "client.iparams.get()")).toMatchObject(["ok", { domain: expect.anything() }]);
    expect((await settledState(frame, `client.db.set("k", { n: 1 })`))[0]).toBe("ok");
    expect(await settledState(frame, `client.db.get("k")`)).toMatchObject(["ok", { n: 1 }]);
    expect(await settledState(frame, `client.request.invoke("add", { a: 1, b: 2 })`)).toMatchObject(["ok", {}]);
    expect(await settledState(frame, `client.request.invokeTemplate("listGroups", {})`)).toMatchObject([
      "ok",
      { status: 200 },
    ]);
    await frame.evaluate(`localStorage.setItem("kept", "yes")`);
    expect(await frame.evaluate(`localStorage.getItem("kept")`)).toBe("yes");
  });

  test("gets another conversation in a new frame, and knows when it is active", async () => {
    const { host, frame } = await embedded();
    await host.onFrame("frame.deactivate()");
    await waitForExpression(frame, `heard.includes("deactivated")`);
    const other = await platform.write("acme", "Another question");
    await host.onFrame(`frame.open("${other}", "${session.agentId}")`);
    await host.page.waitForFunction(`window.acts.filter(([name]) => name === "ready").length === 2`);
    const next = await host.appFrame();
    expect(next).not.toBe(frame);
    expect(await settledState(next, `client.data.get("conversation")`)).toMatchObject([
      "ok",
      { conversation: { conversation_id: other } },
    ]);
    expect(await next.evaluate("heard")).toEqual([]);
    await host.onFrame("frame.activate()");
    await waitForExpression(next, `heard.includes("activated")`);
  });
});

describe("what an app does to the console", () => {
  test("a notification reaches it with texts of limited length", async () => {
    const { host, frame } = await embedded();
    const options = { type: "warning", title: "T".repeat(500), message: "<b>x</b>" };
    expect((await trigger(frame, "showNotify", options))[0]).toBe("ok");
    const [notice] = await host.act("notify");
    expect(notice).toEqual({ kind: "warning", title: `${"T".repeat(79)}…`, message: "<b>x</b>" });
    expect(await trigger(frame, "showNotify", { type: "loud", message: "x" })).toMatchObject(["no", { status: 400 }]);
  });

  test.each([true, false])("a question is answered by the agent: %s", async (answer) => {
    const { host, frame } = await embedded();
    await host.page.evaluate(`window.answers.confirm = Promise.resolve(${answer})`);
    const options = { title: "Sure?", message: "Really", saveLabel: "Do it", cancelLabel: "Leave it" };
    expect(await trigger(frame, "showConfirm", options)).toEqual([
      "ok",
      { success: answer, message: answer ? "Do it" : "Leave it" },
    ]);
    expect(await host.act("confirm")).toEqual([options]);
  });

  test.each([
    [{}, "cursor"],
    [{ position: "start" }, "start"],
    [{ position: "end" }, "end"],
    [{ replace: true }, "all"],
  ])("a text for the editor with %j is put at: %s", async (more, at) => {
    const { host, frame } = await embedded();
    expect((await trigger(frame, "setValue", { id: "editor", text: "Hello", ...more }))[0]).toBe("ok");
    expect(await host.act("setEditorText")).toEqual(["Hello", at]);
  });

  test("a refusal of the console is the reason of the app's rejection", async () => {
    const { host, frame } = await embedded();
    await host.page.evaluate(`window.answers.setEditorText = new Error("The editor is full.")`);
    expect(await trigger(frame, "setValue", { id: "editor", text: "x" })).toEqual([
      "no",
      { status: 400, message: "The editor is full." },
    ]);
    const tooLong = await trigger(frame, "setValue", { id: "editor", text: "x".repeat(65_537) });
    expect(tooLong).toMatchObject(["no", { status: 400 }]);
  });

  test.each([
    ["hide", "send", ["send", "hide"]],
    ["showElement", "note", ["note", "show"]],
    ["enable", "resolve", ["resolve", "enable"]],
    ["disableElement", "assign", ["assign", "disable"]],
  ])("%s of %s changes the element", async (action, id, expected) => {
    const { host, frame } = await embedded();
    expect((await trigger(frame, action, { id }))[0]).toBe("ok");
    expect(await host.act("setElementState")).toEqual(expected);
    expect(await trigger(frame, action, { id: "body" })).toMatchObject(["no", { status: 400 }]);
  });

  test("clicks and an opened conversation reach it", async () => {
    const { host, frame } = await embedded();
    expect((await trigger(frame, "click", { id: "send" }))[0]).toBe("ok");
    expect((await trigger(frame, "click", { id: "conversation", value: "c-9" }))[0]).toBe("ok");
    const clicks = (await host.acts()).filter(([name]) => name === "click");
    expect(clicks.map(([, ...args]) => args.filter((one) => one !== null && one !== undefined))).toEqual([
      ["send"],
      ["conversation", "c-9"],
    ]);
  });

  test("a height within the limits, and the wish to be closed, reach it", async () => {
    const { host, frame } = await embedded(PANEL, "panel.html");
    expect(await settledState(frame, `client.instance.resize({ height: "9000px" })`)).toEqual([
      "ok",
      { height: "2000px" },
    ]);
    expect(await host.act("resize")).toEqual([2000]);
    await frame.evaluate("void client.instance.close()");
    await host.act("close");
  });

  test("an action of the agent waits for the app, which allows or stops it", async () => {
    const { host, frame } = await embedded();
    const attempt = () =>
      host.onFrame(
        `frame.intercept("conversation.onSendMessage", { message: "Hi", isPrivate: false }).then(() => "sent", ({ name, message }) => name + ": " + message)`,
      );
    expect(await attempt()).toBe("sent");
    await frame.evaluate(`client.events.on("conversation.onSendMessage", (event) => {
      heard.push(event.helper.getData());
      if (window.stops) event.helper.fail("Not this."); else event.helper.done();
    }, { intercept: true })`);
    expect(await attempt()).toBe("sent");
    await frame.evaluate("window.stops = true");
    expect(await attempt()).toBe("AppStopped: Not this.");
    expect(await frame.evaluate("heard.at(-1)")).toEqual({ message: "Hi", isPrivate: false });
  });

  test("a dialog covers the window, talks to its opener and leaves no trace", async () => {
    const { host, frame } = await embedded();
    const place = host.page.locator("#place iframe");
    const before = await place.boundingBox();
    const style = await place.getAttribute("style");
    await frame.locator("#show").click();
    const child = await host.appFrame("dialogs/child.html");
    const size = host.page.viewportSize();
    expect(await place.boundingBox()).toEqual({ x: 0, y: 0, ...size });
    const own = await frame.frameElement();
    expect(await own.boundingBox()).toEqual(before);
    expect(
      await host.page.locator("#before").evaluate((button: HTMLElement) => button.closest("[inert]") !== null),
    ).toBe(true);
    await settledState(child, `client.instance.send({ message: "from the dialog" })`);
    await waitForExpression(frame, `heard.some((one) => one.message === "from the dialog")`);
    await child.evaluate("void setTimeout(() => client.instance.close())");
    await host.page.waitForFunction(`!document.querySelector("#place iframe").matches(":popover-open")`);
    expect(await place.boundingBox()).toEqual(before);
    expect(await place.getAttribute("style")).toBe(style);
    expect(await host.page.locator("[inert]").count()).toBe(0);
    // The same page still runs: the frame was not loaded again.
    expect(await frame.evaluate("heard.length > 0")).toBe(true);
  });

  test("the frame is gone after destroy, and waiting actions proceed", async () => {
    const { host, frame } = await embedded();
    await frame.evaluate(
      `client.events.on("conversation.onResolveClick", () => heard.push("asked"), { intercept: true })`,
    );
    await host.page.evaluate(
      `void (window.pending = frame.intercept("conversation.onResolveClick", {}).then(() => "allowed"))`,
    );
    await waitForExpression(frame, `heard.includes("asked")`);
    await host.onFrame("frame.destroy()");
    expect(await host.page.evaluate("window.pending")).toBe("allowed");
    expect(await host.page.locator("iframe").count()).toBe(0);
  });
});
