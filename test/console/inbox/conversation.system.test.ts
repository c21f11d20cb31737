import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** What an agent does in one conversation: writing, notes, drafts, and uploads. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let page: Page;
let agentId: string;

beforeAll(async () => {
  s = await consoleHarness();
  agent = await s.visit();
  ({ page } = agent);
  agentId = (await agent.session.workspace.getWorkspace()).agent.agent_id;
});
afterAll(() => s.stop());

const threadOf = (shown: Page): Locator => shown.getByRole("region", { name: "Messages of the conversation" });
const replyField = (shown: Page): Locator => shown.getByRole("textbox", { name: "Reply to the customer" });
const noteField = (shown: Page): Locator => shown.getByRole("textbox", { name: "Private note, for your team only" });

/** Begins a conversation and opens it. */
const openNew = async (name: string, shown: AgentBrowser = agent) => {
  const begun = await s.beginConversation(name, `Hello from ${name}`);
  await shown.open(`/console/conversations/${begun.id}`);
  await threadOf(shown.page).getByText(`Hello from ${name}`).waitFor();
  return begun;
};

const messagesOf = async (id: string) =>
  (await s.client.messages.listMessages({ params: { conversation_id: id } })).messages.toReversed();

test("a reply is a message of the agent", async () => {
  const { id } = await openNew("Rita Reply");
  await replyField(page).fill("It is on its way.");
  await page.getByRole("button", { name: "Send" }).click();
  await threadOf(page).getByText("It is on its way.").waitFor();
  await eventually(async () =>
    expect((await messagesOf(id)).at(-1)).toMatchObject({
      actor_type: "agent",
      actor_id: agentId,
      message_type: "normal",
      message_parts: [{ text: { content: "It is on its way." } }],
    }),
  );
  expect(await replyField(page).inputValue()).toBe("");
});

test("Ctrl+Enter sends a reply, and a refused one stays with its reason and can be discarded", async () => {
  const { id } = await openNew("Rex Refused");
  await replyField(page).fill("First");
  await replyField(page).press("Control+Enter");
  await threadOf(page).getByText("First", { exact: true }).waitFor();
  await eventually(async () => expect(await messagesOf(id)).toHaveLength(2));
  await page.route("**/v2/conversations/*/messages", (route) =>
    route.fulfill({ status: 400, json: { code: 400, status: "INVALID_ACTOR", message: "You may not write here." } }),
  );
  await replyField(page).fill("Second");
  await replyField(page).press("Control+Enter");
  const failed = threadOf(page).getByRole("alert");
  await failed.getByText("Not sent: You may not write here.").waitFor();
  await page.unroute("**/v2/conversations/*/messages");
  await failed.getByRole("button", { name: "Send again" }).click();
  await eventually(async () => expect(await messagesOf(id)).toHaveLength(3));
  await failed.waitFor({ state: "detached" });
  expect(await threadOf(page).getByText("Second", { exact: true }).count()).toBe(1);
  agent.errors.length = 0;
});

describe("a private note", () => {
  const NOTE = "She has called twice already.";

  test("has a label in the thread and in the list, and is private in the API and in webhooks", async () => {
    const received: Record<string, unknown>[] = [];
    const receiver = createServer((request: IncomingMessage, response) => {
      void json(request).then((body) => {
        received.push(body as Record<string, unknown>);
        response.end();
      });
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const { port } = receiver.address() as AddressInfo;
    await agent.administration.admin.createWebhook({
      params: { account: "acme" },
      body: { url: `http://localhost:${port}/`, actions: ["message_create"] },
    });

    const { id } = await openNew("Nora Note");
    await page.getByText("Private note", { exact: true }).click();
    await noteField(page).fill(NOTE);
    await page.getByRole("button", { name: "Add the note" }).click();
    const shown = threadOf(page).getByRole("article").filter({ hasText: NOTE });
    await shown.getByText("Private note. Only your team sees it.").waitFor();
    const row = page.getByRole("grid").getByRole("row").filter({ hasText: "Nora Note" });
    await row.getByText("Note:").waitFor();

    await eventually(async () =>
      expect((await messagesOf(id)).at(-1)).toMatchObject({ message_type: "private", actor_type: "agent" }),
    );
    const noted = () => received.filter((body) => JSON.stringify(body).includes(NOTE));
    await eventually(() =>
      expect(noted()).toEqual([
        expect.objectContaining({ data: { message: expect.objectContaining({ message_type: "private" }) } }),
      ]),
    );
    receiver.close();
  });

  test("looks different from a reply: its colours are others", async () => {
    await openNew("Nils Note");
    const coloursOf = (content: string) =>
      threadOf(page)
        .getByText(content, { exact: true })
        .evaluate((element) => {
          let shown: Element | null = element;
          while (shown && getComputedStyle(shown).backgroundColor === "rgba(0, 0, 0, 0)") shown = shown.parentElement;
          return shown && getComputedStyle(shown).backgroundColor;
        });
    await replyField(page).fill("Reply");
    await replyField(page).press("Control+Enter");
    await page.getByText("Private note", { exact: true }).click();
    await noteField(page).fill("Remark");
    await noteField(page).press("Control+Enter");
    await threadOf(page).getByText("Remark", { exact: true }).waitFor();
    expect(await coloursOf("Remark")).not.toBe(await coloursOf("Reply"));
  });
});

test("a picture and a file are uploaded, shown before they are sent, and arrive with the text in the order of the choice", async () => {
  const { id } = await openNew("Ulla Upload");
  // The picture, which is chosen first, is uploaded last.
  const isFileUploaded = page.waitForResponse("**/v2/files/upload");
  await page.route("**/v2/images/upload", async (route) => {
    await isFileUploaded;
    await route.continue();
  });
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await page.locator("input[type=file]").setInputFiles([
    { name: "photo.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") },
    { name: "terms.txt", mimeType: "text/plain", buffer: Buffer.from("Thirty days.") },
  ]);
  const attachments = page.getByRole("list", { name: "Attachments" }).getByRole("listitem");
  await attachments.getByRole("button", { name: "Remove Picture" }).waitFor();
  await attachments.getByText("terms.txt", { exact: true }).waitFor();
  await eventually(async () => expect(await attachments.getByRole("status").count()).toBe(0));
  await page.unroute("**/v2/images/upload");
  await replyField(page).fill("Both as asked");
  await page.getByRole("button", { name: "Send" }).click();

  await eventually(async () => {
    const parts = (await messagesOf(id)).at(-1)?.message_parts ?? [];
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(["text", "image", "file"]);
  });
  const parts = (await messagesOf(id)).at(-1)?.message_parts ?? [];
  expect(await (await fetch(parts[2]?.file?.url ?? "")).text()).toBe("Thirty days.");
  const shown = threadOf(page).getByRole("article").filter({ hasText: "Both as asked" });
  await shown.getByRole("link", { name: "Download terms.txt" }).waitFor();
  await eventually(async () => {
    const width = await shown.getByRole("img").evaluate((image) => (image as HTMLImageElement).naturalWidth);
    expect(width).toBe(1);
  });
});

test("a file that is too large or empty is refused without another attempt, and does not hold up the others", async () => {
  const { id } = await openNew("Lars Large");
  const limit = 25 * 1_048_576;
  await page.locator("input[type=file]").setInputFiles([
    { name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(limit + 1) },
    { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
    { name: "terms.txt", mimeType: "text/plain", buffer: Buffer.from("Thirty days.") },
  ]);
  const attachments = page.getByRole("list", { name: "Attachments" }).getByRole("listitem");
  await attachments.getByText("large.bin is too large and is not sent. A file can have up to 25 MB.").waitFor();
  await attachments.getByText("empty.txt is empty and is not sent.").waitFor();
  await attachments.getByText("terms.txt", { exact: true }).waitFor();
  expect(await attachments.getByRole("button", { name: /again$/ }).count()).toBe(0);
  await eventually(async () => expect(await attachments.getByRole("status").count()).toBe(0));
  await replyField(page).fill("The terms");
  await replyField(page).press("Control+Enter");
  await eventually(async () => {
    const parts = (await messagesOf(id)).at(-1)?.message_parts ?? [];
    expect(parts.map(({ file, text }) => text?.content ?? file?.name)).toEqual(["The terms", "terms.txt"]);
  });
});

test("a message that was not sent is shown whole, above the composer", async () => {
  const begun = await openNew("Bodo Box");
  for (let line = 1; line <= 20; line += 1) await begun.write(`Line ${line}`);
  await threadOf(page).getByText("Line 20", { exact: true }).waitFor();
  await page.route("**/v2/conversations/*/messages", async (route) => {
    // The row that is laid out grows.
    await threadOf(page).getByText("Sending…").waitFor();
    await route.fulfill({ status: 400, json: { code: 400, status: "INVALID_ACTOR", message: "Refused." } });
  });
  await replyField(page).fill("A reply");
  await replyField(page).press("Control+Enter");
  const last = threadOf(page).getByRole("alert").last();
  await eventually(async () => {
    const [box, area] = [await last.boundingBox(), await threadOf(page).boundingBox()];
    if (!box || !area) throw new Error("It is not shown.");
    expect(box.y + box.height).toBeLessThanOrEqual(area.y + area.height);
  });
  await page.unroute("**/v2/conversations/*/messages");
  agent.errors.length = 0;
});

test("a draft is in another browser of the same agent, and gone there when it was sent", async () => {
  const { id } = await openNew("Dora Draft");
  const other = await s.visit();
  await other.open(`/console/conversations/${id}`);
  await threadOf(other.page).getByText("Hello from Dora Draft").waitFor();
  await replyField(page).fill("Half an answer");
  await eventually(async () => expect(await replyField(other.page).inputValue()).toBe("Half an answer"));
  const row = other.page.getByRole("grid").getByRole("row").filter({ hasText: "Dora Draft" });
  await row.getByText("Draft:").waitFor();
  await row.getByText("Half an answer").waitFor();
  // A device that opens the conversation later has it too.
  await other.open(`/console/conversations/${id}`);
  await eventually(async () => expect(await replyField(other.page).inputValue()).toBe("Half an answer"));

  await replyField(page).press("Control+Enter");
  await threadOf(other.page).getByText("Half an answer").waitFor();
  await eventually(async () => expect(await replyField(other.page).inputValue()).toBe(""));
  await row.getByText("Draft:").waitFor({ state: "detached" });
  expect((await agent.session.drafts.listDrafts()).drafts).toEqual([]);
  expect(other.errors).toEqual([]);
  await other.close();
});

describe("the details", () => {
  const WIDE = { width: 1_440, height: 900 };
  const details = () => page.getByRole("complementary", { name: "Details" });
  const views = () => page.getByRole("complementary", { name: "Views" });
  afterAll(() => page.setViewportSize(WIDE));

  test.each([
    { width: 1_440, height: 900, hasViews: true },
    { width: 1_366, height: 768, hasViews: false },
    { width: 1_280, height: 800, hasViews: false },
  ])(
    "are a column in a window of $width px, where the views give way to them first",
    async ({ hasViews, ...window }) => {
      await page.setViewportSize(window);
      await openNew(`Willa ${window.width}`);
      await details().waitFor();
      const [column, thread] = [await details().boundingBox(), await threadOf(page).boundingBox()];
      expect(column?.x).toBeGreaterThanOrEqual((thread?.x ?? 0) + (thread?.width ?? 0));
      expect(thread?.width).toBeGreaterThan(400);
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(await views().count()).toBe(hasViews ? 1 : 0);
      if (hasViews) return;
      await page.getByRole("button", { name: "Show the views" }).click();
      await page
        .getByRole("dialog", { name: "Views" })
        .getByRole("link", { name: /^Mine, unread/ })
        .waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Hide the details" }).click();
      await views().waitFor();
      await page.getByRole("button", { name: "Show the details" }).click();
      await details().waitFor();
      await views().waitFor({ state: "detached" });
      await page.getByRole("grid").getByRole("row").first().press("Escape");
      await views().waitFor();
    },
  );

  test("are above the conversation in a narrow window only, and closed in the next conversation", async () => {
    await page.setViewportSize({ width: 1_024, height: 768 });
    await openNew("Nele Narrow");
    const dialog = page.getByRole("dialog", { name: "Details" });
    await page.getByRole("button", { name: "Show the details" }).click();
    await dialog.getByRole("button", { name: "Hide the details" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show the details" }).click();
    await dialog.getByRole("heading", { name: "Details", exact: true }).waitFor();
    await openNew("Nils Narrow");
    expect(await dialog.count()).toBe(0);
  });
});

test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
