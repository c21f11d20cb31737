import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../test/support/campaign.ts";
import type { Page } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import {
  accessibilityViolations,
  frameOf,
  frontFixture,
  settledState,
  VALUES,
  type FrontFixture,
} from "./front-fixture.ts";

/** Contents and actions of the host page for an agent. */

let fixture: FrontFixture;
let page: Page;

/** Waits for the value of a field. The page's policy forbids a condition that is evaluated in the page. */
const untilValue = (field: string, value: string) =>
  waitUntil(async () => (await page.locator(field).inputValue()) === value);
/** Holds requests of the page to these paths. -> lets them continue */
const holdRequests = async (...paths: string[]): Promise<() => void> => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  for (const path of paths)
    await page.route(path, async (route) => {
      await released;
      await route.continue();
    });
  return release;
};
beforeAll(async () => {
  fixture = await frontFixture("front-pages");
  fixture.service.createConversation("c-1", "Sam", "Where is my order?");
  fixture.service.createConversation("c-2", "Kim", "I want to pay");
});
afterAll(() => fixture.close());

const row = (name: string) => page.locator("[data-list]").getByRole("button", { name });
const log = (text: string) => page.locator("[data-messages]").getByText(text);

describe("the host page before an installation", () => {
  test("links to the installation and shows nothing of the app; afterwards it shows everything", async () => {
    page = await fixture.visit();
    await page.getByText("Not installed yet.").waitFor();
    expect(await page.getByRole("link", { name: "Install it" }).first().getAttribute("href")).toBe("/custom_configs");
    expect(page.frames()).toHaveLength(1);
    expect(await page.getByRole("button", { name: "Left nav chat" }).isEnabled()).toBe(false);
    expect(await accessibilityViolations(page)).toEqual([]);
    await fixture.host.install(VALUES);
    await frameOf(page, "index.html");
    await page.getByText("Installed on").waitFor();
    await page.context().close();
  });
});

describe("the host page without events", () => {
  campaignTest("sends no request to the service", async () => {
    page = await fixture.visit("?conversation=c-2");
    await page.clock.install();
    await page.reload();
    await log("I want to pay").waitFor();
    const before = fixture.service.requests.length;
    await page.clock.runFor(60_000);
    expect(fixture.service.requests.length).toBe(before);
    await page.context().close();
  });
});

describe("the host page with an installed app", () => {
  beforeEach(async () => {
    page = await fixture.visit("?conversation=c-1");
  });
  afterEach(() => page.context().close());

  test("lists conversations with customer, topic and status, and opens them beside the app", async () => {
    await log("Where is my order?").waitFor();
    await row("Kim").click();
    await log("I want to pay").waitFor();
    expect(await row("Kim").getAttribute("aria-current")).toBe("true");
    expect(new URL(page.url()).searchParams.get("conversation")).toBe("c-2");
    const frame = await frameOf(page, "index.html");
    expect(await settledState(frame, `client.data.get("user")`)).toMatchObject(["ok", { user: { first_name: "Kim" } }]);
    expect(
      await settledState(frame, `client.interface.trigger("click", { id: "conversation", value: "c-1" })`),
    ).toMatchObject(["ok", {}]);
    await log("Where is my order?").waitFor();
  });

  test("shows an event of a conversation immediately, without a request if nobody views it", async () => {
    const before = fixture.service.requests.length;
    const other = fixture.service.createConversation("c-new", "Lee", "Anybody there?");
    await fixture.deliverMessage(other, "Anybody there?");
    await page.locator("[data-list]").getByText("Anybody there?").waitFor();
    expect(fixture.service.requests.slice(before).filter((request) => request.includes("c-new"))).toEqual([]);
    fixture.service.messages.get("c-1")?.push({
      ...(fixture.service.messages.get("c-1")?.[0] as never as object),
      id: "more",
      message_parts: [{ text: { content: "One more thing" } }],
    } as never);
    const open = fixture.service.conversations.get("c-1");
    if (open) await fixture.deliverMessage(open, "One more thing");
    await log("One more thing").waitFor();
  });

  test("sends a message and a note as the selected agent", async () => {
    await page
      .locator("[data-agent]")
      .selectOption({ label: "Grace Agent" })
      .catch(() => page.locator("[data-agent]").selectOption("agent-2"));
    await page.fill("#editor", "It is on its way");
    await page.keyboard.press("Control+Enter");
    await log("It is on its way").waitFor();
    await untilValue("#editor", "");
    await page.fill("#editor", "Check the parcel");
    await page.check("#note");
    await page.getByRole("button", { name: "Send" }).click();
    await log("Check the parcel").waitFor();
    expect(fixture.service.messages.get("c-1")?.slice(-2)).toMatchObject([
      { actor_type: "agent", actor_id: "agent-2", message_type: "normal" },
      { actor_type: "agent", actor_id: "agent-2", message_type: "private" },
    ]);
    const frame = await frameOf(page, "index.html");
    expect(await settledState(frame, `client.data.get("loggedInAgent")`)).toMatchObject([
      "ok",
      { loggedInAgent: { id: "agent-2" } },
    ]);
  });

  test("does not send an empty message, and shows the service's error message", async () => {
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Write a message first.").waitFor();
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.getByText("The property 'priority' has no value.").waitFor();
  });

  test("assigns and resolves a conversation", async () => {
    const before = fixture.service.conversations.get("c-1");
    if (before) fixture.service.conversations.set("c-1", { ...before, properties: { priority: "Low" } });
    await page.locator("[data-assign]").selectOption("agent-1");
    await page.keyboard.press("Tab");
    await untilValue("[data-assign]", "agent-1");
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.getByRole("button", { name: "Reopen" }).waitFor();
    expect(fixture.service.conversations.get("c-1")).toMatchObject({
      status: "resolved",
      assigned_agent_id: "agent-1",
    });
  });

  campaignTest(
    "keeps an error visible while a later action runs, and runs an action once for a double click",
    async () => {
      fixture.service.createConversation("c-3", "Ann", "Anybody?");
      await page.goto(page.url().replace("c-1", "c-3"));
      await log("Anybody?").waitFor();
      const release = await holdRequests("**/front/change");
      const before = fixture.service.requests.length;
      for (const _ of [1, 2]) await page.getByRole("button", { name: "Resolve", exact: true }).click();
      await page.locator("[data-assign]").selectOption("agent-1");
      release();
      await waitUntil(() => fixture.service.conversations.get("c-3")?.assigned_agent_id === "agent-1");
      expect(await page.getByText("The property 'priority' has no value.").isVisible()).toBe(true);
      expect(fixture.service.requests.slice(before).filter((request) => request.startsWith("PUT"))).toHaveLength(2);
    },
  );

  campaignTest("runs actions in order while another action is pending, and sends a message once", async () => {
    const before = fixture.service.conversations.get("c-2");
    if (before) fixture.service.conversations.set("c-2", { ...before, properties: { priority: "Low" } });
    await row("Kim").click();
    await log("I want to pay").waitFor();
    const release = await holdRequests("**/front/change", "**/front/send");
    await page.fill("#editor", "One moment");
    for (const _ of [1, 2]) await page.getByRole("button", { name: "Send" }).click();
    await page.locator("[data-assign]").selectOption("agent-1");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Resolve", exact: true }).click();
    release();
    await page.getByRole("button", { name: "Reopen", exact: true }).waitFor();
    expect(fixture.service.conversations.get("c-2")).toMatchObject({
      status: "resolved",
      assigned_agent_id: "agent-1",
    });
    const sentTexts = fixture.service.messages.get("c-2")?.map(({ message_parts }) => message_parts[0]?.text?.content);
    expect(sentTexts).toEqual(["I want to pay", "One moment"]);
  });

  campaignTest("keeps its content while the service doesn't answer", async () => {
    await log("Where is my order?").waitFor();
    await page.fill("#editor", "Half an answer");
    const frame = await frameOf(page, "index.html");
    await frame.evaluate("window.mine = 1");
    const [open] = fixture.service.conversations.values();
    fixture.service.setFailure(503);
    if (open) await fixture.deliverMessage(open, "Hello?");
    await page.locator("[data-part=problem]").getByText("out of order (503)").waitFor();
    expect(await log("Where is my order?").isVisible()).toBe(true);
    expect(await row("Kim").isVisible()).toBe(true);
    expect(await page.inputValue("#editor")).toBe("Half an answer");
    expect(await frame.evaluate("window.mine")).toBe(1);
    fixture.service.setFailure(undefined);
    await page.locator("[data-part=problem]").waitFor({ state: "hidden", timeout: 15_000 });
  });

  campaignTest("reports a failing service, retries with delays, and recovers completely", async () => {
    fixture.service.setFailure(503);
    await row("Kim").click();
    await page.locator("[data-part=problem]").getByText("out of order (503)").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const before = fixture.service.requests.length;
    await page.waitForTimeout(2_500);
    expect(fixture.service.requests.length - before).toBeLessThan(5);
    fixture.service.setFailure(undefined);
    await log("I want to pay").waitFor({ timeout: 15_000 });
  });
});
