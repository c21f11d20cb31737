import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import {
  consoleHarness,
  eventually,
  type AgentBrowser,
  type ConsoleHarness,
  type CustomerConversation,
} from "../support/harness.ts";
import { interruptibleProxy, type InterruptibleProxy } from "../support/interruptible-proxy.ts";

/** Two agents on one conversation, an interrupted network, and several tabs of one browser. */

const STREAM = "/console/api/stream";

let s: ConsoleHarness;
let olivia: AgentBrowser;
let noah: AgentBrowser;
/** The network of Noah's browser. */
let network: InterruptibleProxy;
beforeAll(async () => {
  s = await consoleHarness();
  network = await interruptibleProxy();
  olivia = await s.visit();
  noah = await s.visit("noah@acme.example", { proxy: { server: network.origin, bypass: "<-loopback>" } });
});
afterAll(async () => {
  await s.stop();
  await network.close();
});

const threadOf = (page: Page): Locator => page.getByRole("region", { name: "Messages of the conversation" });
const replyField = (page: Page): Locator => page.getByRole("textbox", { name: "Reply to the customer" });

/** Numbers of the messages "Message <number>" that a tab shows, in their order. */
const shownNumbers = async (page: Page): Promise<readonly number[]> => {
  const texts = await threadOf(page).getByRole("article").allInnerTexts();
  return texts.flatMap((text) => [...text.matchAll(/Message (\d+)/g)].map(([, number]) => Number(number)));
};
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
const showsUpTo = (page: Page, count: number, withinMs?: number) =>
  eventually(async () => expect(await shownNumbers(page)).toEqual(upTo(count)), withinMs);

const begin = (name: string): Promise<CustomerConversation> => s.beginConversation(name, "Message 1");

describe("two agents on one conversation", () => {
  let conversation: CustomerConversation;
  beforeAll(async () => {
    conversation = await begin("Vera Viewed");
    await olivia.open(`/console/conversations/${conversation.id}`);
    await showsUpTo(olivia.page, 1);
  });

  test("see that the other agent has it open, and that the other agent left", async () => {
    expect(await olivia.page.getByText(/Also here/).count()).toBe(0);
    await noah.open(`/console/conversations/${conversation.id}`);
    await olivia.page.getByText("Also here: Noah Lindqvist").waitFor();
    await noah.page.getByText("Also here: Olivia Reyes").waitFor();
    await noah.page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Templates" }).click();
    await olivia.page.getByText(/Also here/).waitFor({ state: "detached" });
    await noah.page.goBack();
    await olivia.page.getByText("Also here: Noah Lindqvist").waitFor();
  });

  test("see in the list of conversations who has one open", async () => {
    const row = olivia.page.getByRole("grid").getByRole("row").filter({ hasText: "Vera Viewed" });
    await row.getByRole("img", { name: "Noah Lindqvist has it open" }).waitFor();
  });

  test("see that the other agent writes, but not the text, and then the message with its author", async () => {
    await replyField(noah.page).pressSequentially("Message 2");
    await olivia.page.getByText("Writing: Noah Lindqvist").waitFor();
    expect(await shownNumbers(olivia.page)).toEqual([1]);
    await replyField(noah.page).press("Control+Enter");
    await showsUpTo(olivia.page, 2);
    await showsUpTo(noah.page, 2);
    const shown = threadOf(olivia.page).getByRole("article").filter({ hasText: "Message 2" });
    await shown.getByRole("heading", { name: /Noah Lindqvist/ }).waitFor();
    await olivia.page.getByText("Also here: Noah Lindqvist").waitFor();
  });

  test("both see the other agent's changes", async () => {
    await noah.page.getByRole("button", { name: "Agent: Nobody" }).click();
    await noah.page.getByRole("option", { name: /Noah Lindqvist/ }).click();
    await olivia.page.getByRole("button", { name: "Agent: Noah Lindqvist" }).waitFor();
    await olivia.page.getByRole("button", { name: "Agent: Noah Lindqvist" }).click();
    await olivia.page.getByRole("option", { name: /Olivia Reyes/ }).click();
    await noah.page.getByRole("button", { name: "Agent: Olivia Reyes" }).waitFor();
    await noah.page.getByRole("button", { name: /^Priority: / }).click();
    await noah.page.getByRole("option", { name: "Urgent" }).click();
    await olivia.page.getByRole("button", { name: "Priority: Urgent" }).waitFor();
  });

  test("an agent whose browser is closed is not shown any more", async () => {
    const maya = await s.visit("maya@acme.example");
    await maya.open(`/console/conversations/${conversation.id}`);
    await olivia.page.getByText(/Also here: .*Maya Okafor/).waitFor();
    await maya.close();
    await olivia.page.getByText(/Also here: .*Maya Okafor/).waitFor({ state: "detached" });
  });
});

test("a browser whose network is interrupted says so, and afterwards shows each message that came meanwhile once", async () => {
  const conversation = await begin("Otto Offline");
  await noah.open(`/console/conversations/${conversation.id}`);
  await showsUpTo(noah.page, 1);
  const isLost = noah.page.getByRole("status").getByText("No connection.");
  network.interrupt();
  for (const number of [2, 3, 4]) await conversation.write(`Message ${number}`);
  await s.client.conversations.updateConversation({
    params: { conversation_id: conversation.id },
    body: { properties: { priority: "High" } },
  });
  await isLost.waitFor();
  expect(await shownNumbers(noah.page)).toEqual([1]);
  await replyField(noah.page).fill("Message 5");
  await replyField(noah.page).press("Control+Enter");
  await threadOf(noah.page).getByText("Sending…").waitFor();

  network.restore();
  await isLost.waitFor({ state: "detached", timeout: 40_000 });
  await showsUpTo(noah.page, 5);
  // No event of the log says this.
  await noah.page.getByRole("button", { name: "Priority: High" }).waitFor();
  await threadOf(noah.page).getByText("Sending…").waitFor({ state: "detached" });
  await conversation.write("Message 6");
  await showsUpTo(noah.page, 6);
  const { messages } = await s.client.messages.listMessages({ params: { conversation_id: conversation.id } });
  expect(messages).toHaveLength(6);
  const row = noah.page.getByRole("grid").getByRole("row").filter({ hasText: "Otto Offline" });
  await row.getByText("Message 6").waitFor();
  // The browser reports requests without a network. A report that waited for it is for the stream that ended.
  const isExpected = (error: string) => error.includes("net::ERR_") || error.includes("/console/api/presence/");
  expect(noah.errors.filter((error) => !isExpected(error))).toEqual([]);
});

test("three tabs of a browser have one connection, and another tab takes it over without a gap when its tab is closed", async () => {
  const conversation = await begin("Tina Tabs");
  const path = `/console/conversations/${conversation.id}`;
  await olivia.open(path);
  const tabs = [olivia.page, await olivia.tab(path), await olivia.tab(path)];
  for (const tab of tabs) await showsUpTo(tab, 1);
  await conversation.write("Message 2");
  for (const tab of tabs) await showsUpTo(tab, 2);
  expect(olivia.connectionsTo(STREAM)).toHaveLength(1);

  const [leading] = olivia.connectionsTo(STREAM);
  const others = tabs.filter((tab) => tab !== leading);
  expect(others).toHaveLength(2);
  const writing = (async () => {
    for (let number = 3; number <= 12; number += 1) await conversation.write(`Message ${number}`);
  })();
  await leading?.close();
  await writing;
  for (const tab of others) await showsUpTo(tab, 12);
  expect(olivia.connectionsTo(STREAM)).toHaveLength(1);
  expect(others).toContain(olivia.connectionsTo(STREAM)[0]);
  await conversation.write("Message 13");
  for (const tab of others) await showsUpTo(tab, 13);
  // The presence of the tabs continues with the new connection.
  await noah.open(path);
  await noah.page.getByText("Also here: Olivia Reyes").waitFor();
  expect(olivia.errors).toEqual([]);
});

test("ten seconds in which nothing happens cost no request", async () => {
  const conversation = await begin("Ida Idle");
  await noah.page.clock.install();
  await noah.open(`/console/conversations/${conversation.id}`);
  await showsUpTo(noah.page, 1);
  const { conversations } = await noah.session.inbox.listInbox({ query: {} });
  expect(conversations[0]?.conversation_id).toBe(conversation.id);
  // Read marks and presence follow the opening.
  const isRead = () =>
    eventually(async () =>
      expect((await noah.session.inbox.getInboxItem({ params: { conversation_id: conversation.id } })).unread).toBe(0),
    );
  await isRead();
  await noah.page.waitForLoadState("networkidle", { timeout: 5_000 }).catch(() => undefined);
  // The read mark is read again with the next numbers, at most three seconds later.
  await noah.page.clock.runFor(4_000);
  await isRead();
  // A message makes the last sign of life of the stream a recent one. What the page reads after it ends first.
  noah.requests.length = 0;
  await conversation.write("Message 2");
  await showsUpTo(noah.page, 2);
  await isRead();
  // The conversation and the list are read for the message, and with the numbers for the read mark; the customer's conversations for the message.
  const readsOf = (path: string) => noah.requests.filter((request) => request === `GET /console/api/${path}`);
  await eventually(() => {
    expect(readsOf(`conversations/${conversation.id}`)).toHaveLength(2);
    expect(readsOf("conversations")).toHaveLength(3);
    expect(readsOf("counts")).not.toEqual([]);
  });
  for (const browser of [noah, olivia]) browser.requests.length = 0;
  // The stream is silent while the clock of the page runs ahead: 12 s after its last sign of life the page would connect again.
  await noah.page.clock.runFor(10_000);
  expect([...noah.requests, ...olivia.requests]).toEqual([]);
  expect(noah.connectionsTo(STREAM)).toHaveLength(1);
});
