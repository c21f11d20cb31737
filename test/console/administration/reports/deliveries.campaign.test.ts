import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../../packages/framework/test/front/front-fixture.ts";
import {
  startFakeWebhookReceiver,
  type FakeWebhookReceiver,
} from "../../../../packages/service/test/events/webhooks/fake-webhook-receiver.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The deliveries of a webhook: requests, responses, and repetition. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;
let receiver: FakeWebhookReceiver;
let webhookId: string;

const broken = () => [500, { "content-type": "text/plain" }, "the database is down"] as const;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
  receiver = await startFakeWebhookReceiver();
  const created = await owner.administration.admin.createWebhook({
    params: { account: "acme" },
    body: { url: receiver.url, actions: ["message_create", "conversation_resolution"] },
  });
  webhookId = created.webhook.id;
}, 180_000);
afterAll(async () => {
  await s.stop();
  await receiver.close();
});

const dialog = () => page.getByRole("dialog");
const table = () => page.getByRole("table", { name: "Deliveries" });
const openPage = () => owner.open(`/console/admin/webhooks/${webhookId}`);
const eventOf = (index: number) => String(receiver.received.at(index)?.headers["webhook-id"]).slice(0, 36);
const row = (eventId: string) => table().getByRole("row").filter({ hasText: eventId });
const reload = () => page.getByRole("button", { name: "Reload" }).click();
/** Reloads by the button of the page until a row has the text. */
const untilRowHas = (eventId: string, text: string) =>
  eventually(async () => {
    await reload();
    await row(eventId).getByText(text, { exact: true }).waitFor({ timeout: 1_000 });
  });
/** Sends a message whose two attempts fail. -> id of the event */
const fail = async (text: string): Promise<string> => {
  receiver.replyWith(broken);
  const count = receiver.received.length;
  await s.beginConversation("Fatima", text);
  await receiver.until(count + 2);
  return eventOf(-1);
};

test("a webhook without deliveries says how they come about", async () => {
  await openPage();
  await page.getByText("Nothing was sent yet").waitFor();
});

test("a failed delivery shows its request, the response, and how long it took; sent again it arrives", async () => {
  const id = await fail("is lost at first");
  await openPage();
  await untilRowHas(id, "Failed");
  await row(id).getByText("500", { exact: true }).waitFor();
  await row(id).getByText("2", { exact: true }).waitFor();
  await row(id).getByText(/\sms$/).waitFor();
  await row(id)
    .getByRole("button", { name: /^Details: New message/ })
    .click();
  await dialog().getByText("the database is down").waitFor();
  const request = dialog().getByRole("region", { name: "Request" });
  await request.getByText("is lost at first").waitFor();
  await request.getByText(`webhook-id: ${id}_message_create`).waitFor();
  await request.getByText("x-retry-count: 1").waitFor();
  expect(await request.getByText(`POST ${receiver.url}`).count()).toBe(1);
  expect(await accessibilityViolations(page)).toEqual([]);

  receiver.replyWith(() => [202, {}, "thanks"]);
  const count = receiver.received.length;
  await dialog().getByRole("button", { name: "Deliver again" }).click();
  await receiver.until(count + 1);
  expect(eventOf(-1)).toBe(id);
  await eventually(async () => {
    await dialog().getByRole("button", { name: "Reload" }).click();
    await dialog().getByText("thanks").waitFor({ timeout: 1_000 });
  });
  await dialog().getByRole("button", { name: "Close" }).last().click();
  await untilRowHas(id, "Delivered");
  await row(id).getByText("202", { exact: true }).waitFor();
});

test("all failed events are delivered again after a question that says how many", async () => {
  const ids = [await fail("one"), await fail("two"), await fail("three")];
  await openPage();
  for (const id of ids) await untilRowHas(id, "Failed");
  receiver.replyWith(() => 204);
  await page.getByRole("button", { name: "Deliver all 3 failed events again" }).click();
  const question = page.getByRole("alertdialog", { name: "Deliver 3 events again?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  const count = receiver.received.length;
  await page.getByRole("button", { name: "Deliver all 3 failed events again" }).click();
  await question.getByRole("button", { name: "Deliver again" }).click();
  await page.getByText("3 events are sent again.", { exact: false }).waitFor();
  await receiver.until(count + 3);
  expect(
    receiver.received
      .slice(count)
      .map(({ headers }) => String(headers["webhook-id"]).slice(0, 36))
      .sort(),
  ).toEqual([...ids].sort());
  for (const id of ids) await untilRowHas(id, "Delivered");
  await page.getByRole("button", { name: /failed/ }).waitFor({ state: "detached" });
});

test("the list is filtered by state and by event", async () => {
  receiver.replyWith(() => 204);
  const count = receiver.received.length;
  const { id: conversation_id } = await s.beginConversation("Rita", "to be resolved");
  await s.client.conversations.updateConversation({ params: { conversation_id }, body: { status: "resolved" } });
  // The message, the resolution, and the message that says so.
  await receiver.until(count + 3);
  const resolved = eventOf(count + 1);
  const failed = await fail("stays failed");
  await openPage();
  await untilRowHas(failed, "Failed");
  await row(resolved).waitFor();

  const filter = async (name: RegExp, option: string) => {
    await page.getByRole("button", { name }).first().click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await filter(/State$/, "Failed");
  await row(resolved).waitFor({ state: "detached" });
  await row(failed).waitFor();
  expect(await table().getByRole("row").count()).toBe(2);
  await filter(/State$/, "Any state");
  await filter(/Event$/, "Conversation changed");
  await row(failed).waitFor({ state: "detached" });
  await row(resolved).waitFor();
  await filter(/State$/, "Failed");
  await page.getByText("No delivery matches the filters").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await row(failed).waitFor();
});

test("older deliveries follow on request", async () => {
  receiver.replyWith(() => 204);
  const count = receiver.received.length;
  const conversation = await s.beginConversation("Paula", "the oldest of many");
  for (let index = 0; index < 55; index += 1) await conversation.write(`message ${index}`);
  await receiver.until(count + 56);
  const oldest = eventOf(count);
  await openPage();
  await untilRowHas(eventOf(-1), "Delivered");
  expect([await table().getByRole("row").count(), await row(oldest).count()]).toEqual([51, 0]);
  await page.getByRole("button", { name: "Show older deliveries" }).click();
  await row(oldest).waitFor();
}, 120_000);

test("an unknown webhook has a page that says so", async () => {
  await owner.open("/console/admin/webhooks/01890000-0000-7000-8000-000000000001");
  await page.getByRole("heading", { name: "There is no such webhook" }).waitFor();
});

test.each([
  ["wide", { width: 1_440, height: 900 }],
  ["narrow", { width: 360, height: 740 }],
] as const)("the page is accessible and does not scroll sideways in a %s window", async (_, size) => {
  await page.setViewportSize(size);
  await openPage();
  await table().waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
