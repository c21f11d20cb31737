import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { interruptibleProxy, type InterruptibleProxy } from "../support/interruptible-proxy.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";
import { chooseMode, expectText, NOAH, noteField, replyField, threadOf, unsavedFixture } from "../support/unsaved.ts";

/** Nothing that an agent typed is lost when a window is closed, a request fails or the service is away, or when two pages are open. */

let s: ConsoleHarness;
let service: ReturnType<typeof unsavedFixture>;
let agent: AgentBrowser;
let page: Page;
beforeAll(async () => {
  s = await consoleHarness();
  service = unsavedFixture(s);
});
beforeEach(async () => {
  agent = await s.visit(NOAH);
  ({ page } = agent);
});
afterEach(() => agent.context.close());
afterAll(() => s.stop());

describe("a window is closed, or its page loaded again", () => {
  test("directly after a key press: the service has the draft", async () => {
    const { id } = await service.openNew("Carl Closed", agent);
    await replyField(page).pressSequentially("Almost don");
    await replyField(page).press("e");
    await page.close({ runBeforeUnload: true });
    await service.isDraft(id, "Almost done");
  });

  test("without a connection: the next page has the draft and the reply that was not sent, and goes on with both", async () => {
    const { id } = await service.openNew("Paul Page", agent);
    await agent.context.route("**/console/api/conversations/*/draft", (route) => route.abort());
    await agent.context.route("**/v2/conversations/*/messages", (route) => route.abort());
    // A request that is on its way when the page is closed would reach the service.
    const refusal = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/messages"));
    await replyField(page).fill("A reply");
    await replyField(page).press("Control+Enter");
    await refusal;
    await replyField(page).fill("And a draft");
    await page.close();
    expect(await service.repliesIn(id)).toEqual([]);
    await agent.context.unroute("**/console/api/conversations/*/draft");
    await agent.context.unroute("**/v2/conversations/*/messages");

    const next = await agent.tab("/console/customers");
    await next.getByRole("heading", { name: "Customers" }).first().waitFor();
    await eventually(async () => expect(await service.repliesIn(id)).toEqual(["A reply"]));
    await service.isDraft(id, "And a draft");
    const unsaved = () => next.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("unsaved")));
    await eventually(async () => expect(await unsaved()).toEqual([]));
  });

  test("a reply that was not sent in time is offered, and sent when the agent says so", async () => {
    const { id } = await service.openNew("Lara Late", agent);
    await agent.context.route("**/v2/conversations/*/messages", (route) => route.abort());
    await replyField(page).fill("From yesterday");
    await replyField(page).press("Control+Enter");
    await threadOf(page).getByRole("alert").getByText("Not sent").waitFor({ timeout: 30_000 });
    // The times that the browser kept are those of yesterday.
    await page.evaluate(() => {
      const yesterday = new Date(Date.now() - 86_400_000).toISOString();
      for (const key of Object.keys(localStorage).filter((each) => each.includes(" message ")))
        localStorage.setItem(
          key,
          (localStorage.getItem(key) ?? "").replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, yesterday),
        );
    });
    await page.close();
    await agent.context.unroute("**/v2/conversations/*/messages");
    const next = await agent.tab("/console/customers");
    await next.getByRole("region", { name: "Notices" }).getByRole("button", { name: "Show" }).click();
    await threadOf(next).getByText("Not sent: The page was closed before the message was sent.").waitFor();
    expect(await service.repliesIn(id)).toEqual([]);
    await threadOf(next).getByRole("button", { name: "Send again" }).click();
    await eventually(async () => expect(await service.repliesIn(id)).toEqual(["From yesterday"]));
    await threadOf(next).getByText("Not sent").waitFor({ state: "detached" });
  });

  test("a form that was open has the entered values when it is opened again, until it is cancelled", async () => {
    await agent.open("/console/templates");
    await page.getByRole("button", { name: "New template" }).first().click();
    await page.getByRole("textbox", { name: "Name" }).fill("Delay");
    await page.getByRole("textbox", { name: "Text" }).fill("We are sorry for the delay");
    await page.reload();
    await page.getByRole("button", { name: "New template" }).first().click();
    await page.getByText("Your unsaved entries were restored.").waitFor();
    expect(await page.getByRole("textbox", { name: "Text" }).inputValue()).toBe("We are sorry for the delay");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "New template" }).first().click();
    expect(await page.getByRole("textbox", { name: "Text" }).inputValue()).toBe("");
  });

  test("a field of a customer is open again with the entered value", async () => {
    const { userId } = await s.beginConversation("Fred Field", "Hello");
    agent = await s.visit();
    ({ page } = agent);
    await agent.open(`/console/customers/${userId}`);
    await page
      .getByRole("button", { name: "Change: Last name" })
      .or(page.getByRole("button", { name: "Add: Last name" }))
      .click();
    await page.getByRole("textbox", { name: "Last name" }).fill("Fielding");
    await page.reload();
    expect(await page.getByRole("textbox", { name: "Last name" }).inputValue()).toBe("Fielding");
    await page.getByRole("textbox", { name: "Last name" }).press("Enter");
    await eventually(async () =>
      expect(await s.client.users.getUser({ params: { user_id: userId } })).toMatchObject({ last_name: "Fielding" }),
    );
  });

  test("a form of the administration has it, too, without its secrets", async () => {
    agent = await s.visit();
    ({ page } = agent);
    await agent.open("/console/admin/identity-providers");
    const add = page.getByRole("button", { name: /^(New|Add).*provider/i }).first();
    await add.click();
    await page.getByRole("textbox", { name: "Issuer" }).fill("https://id.example");
    await page.getByLabel("Client secret").fill("S3CRET-VALUE");
    await eventually(async () =>
      expect(await page.evaluate(() => JSON.stringify(localStorage))).toContain("https://id.example"),
    );
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("S3CRET-VALUE");
    await page.reload();
    await add.click();
    expect(await page.getByRole("textbox", { name: "Issuer" }).inputValue()).toBe("https://id.example");
    await page.getByRole("button", { name: "Discard them" }).click();
    expect(await page.getByRole("textbox", { name: "Issuer" }).inputValue()).toBe("");
  });
});

describe("requests fail", () => {
  let network: InterruptibleProxy;
  beforeAll(async () => {
    network = await interruptibleProxy();
  });
  afterEach(() => network.restore());
  afterAll(() => network.close());

  test("a draft that the service refuses for a time is saved without further typing", async () => {
    const { id } = await service.openNew("Fay Failed", agent);
    let failures = 0;
    await page.route("**/console/api/conversations/*/draft", (route) => {
      failures += 1;
      return route.fulfill({
        status: 500,
        json: { code: 500, status: "INTERNAL_SERVER_ERROR", message: "It failed." },
      });
    });
    await replyField(page).fill("Typed once");
    await eventually(() => expect(failures).toBeGreaterThan(0));
    await page.unroute("**/console/api/conversations/*/draft");
    await service.isDraft(id, "Typed once");
  });

  test("while the service restarts, drafts and replies wait, and arrive when it is back", async () => {
    agent = await s.visit(NOAH, { proxy: { server: network.origin, bypass: "<-loopback>" } });
    ({ page } = agent);
    const { id } = await service.openNew("Rosa Restart", agent);
    // The script of the details is loaded with the first conversation; without a connection its failure would replace the page.
    await page.getByRole("complementary", { name: "Details" }).getByRole("link", { name: "Rosa Restart" }).waitFor();
    network.interrupt();
    await page.getByText("No connection.").waitFor();
    await replyField(page).fill("Sent meanwhile");
    await replyField(page).press("Control+Enter");
    await replyField(page).fill("Typed meanwhile");
    const failed = threadOf(page).getByRole("alert");
    await failed.getByText("Not sent").waitFor();
    network.restore();
    await failed.getByRole("button", { name: "Send again" }).click();
    await eventually(async () => expect(await service.repliesIn(id)).toEqual(["Sent meanwhile"]));
    await service.isDraft(id, "Typed meanwhile");
  });

  test("a connection that is silent is reported as lost within 15 seconds, and until there is another connection", async () => {
    agent = await s.visit(NOAH, { proxy: { server: network.origin, bypass: "<-loopback>" } });
    ({ page } = agent);
    await page.clock.install();
    const isStreaming = page.waitForResponse("**/console/api/stream");
    await agent.open("/console/inbox");
    await isStreaming;
    await page.getByRole("grid").waitFor();
    const lost = page.getByText("No connection.");
    expect(await lost.count()).toBe(0);
    network.silence();
    await page.clock.fastForward(14_000);
    await lost.waitFor();
    await page.clock.fastForward(5_000);
    await lost.waitFor();
    network.restore();
    await page.clock.fastForward(31_000);
    await lost.waitFor({ state: "detached" });
  });
});

describe("two pages", () => {
  test("two tabs of a browser show the same draft while it is typed", async () => {
    const { id } = await service.openNew("Tina Tabs", agent);
    const other = await agent.tab(`/console/conversations/${id}`);
    await threadOf(other).getByText("Hello from Tina Tabs").waitFor();
    await agent.context.route("**/console/api/conversations/*/draft", (route) => route.abort());
    await replyField(page).fill("In the first tab");
    await expectText(replyField(other), "In the first tab");
    await replyField(other).fill("In the second tab");
    await expectText(replyField(page), "In the second tab");
    await agent.context.unroute("**/console/api/conversations/*/draft");
    await service.isDraft(id, "In the second tab");
  });

  test("of two browsers that both changed a draft, no text replaces the other text", async () => {
    const { id } = await service.openNew("Bea Browsers", agent);
    const second = await s.visit(NOAH);
    await second.open(`/console/conversations/${id}`);
    await threadOf(second.page).getByText("Hello from Bea Browsers").waitFor();
    await second.page.route("**/console/api/conversations/*/draft", (route) => route.abort());
    await replyField(second.page).fill("Written without a connection");
    await replyField(page).fill("Written meanwhile");
    await service.isDraft(id, "Written meanwhile");
    await second.page.unroute("**/console/api/conversations/*/draft");
    const both = "Written without a connection\n\nWritten meanwhile";
    await service.isDraft(id, both);
    await expectText(replyField(second.page), both);
    await expectText(replyField(page), both);
    await second.close();
  });

  test("a reply and a private note are two drafts, on each device", async () => {
    const { id } = await service.openNew("Nele Note", agent);
    const second = await s.visit(NOAH);
    await second.open(`/console/conversations/${id}`);
    await threadOf(second.page).getByText("Hello from Nele Note").waitFor();
    await chooseMode(page, "Private note");
    await noteField(page).fill("She is annoyed");
    await chooseMode(page, "Reply");
    expect(await replyField(page).inputValue()).toBe("");
    await page.getByRole("radio", { name: /^Private note\s+with a draft/ }).waitFor({ state: "attached" });
    await replyField(page).fill("Dear Nele");
    await expectText(replyField(second.page), "Dear Nele");
    await chooseMode(second.page, "Private note");
    await expectText(noteField(second.page), "She is annoyed");
    await replyField(page).press("Control+Enter");
    await eventually(async () => expect(await service.repliesIn(id)).toEqual(["Dear Nele"]));
    await service.isDraft(id, "She is annoyed");
    await second.close();
  });
});
