import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MessagePart } from "@parley/contract";
import type { FrameLocator, Page } from "playwright-core";
import {
  consoleHarness,
  eventually,
  type AgentBrowser,
  type ConsoleHarness,
} from "../../../../test/console/support/harness.ts";
import { ATTACKING, ATTACKS, isAttacked, SCRIPT_ADDRESSES } from "../../../../test/support/hostile-texts.ts";
import { openPanel, panelOf, write } from "../support/panel.ts";
import { htmlPage, serveSite, type Site } from "../support/site.ts";

/**
 * Texts and names of one side that would do something on the other: a script, an address that runs one, characters that reorder or hide
 * text. No page has its content policy here. `hostile-text.campaign.test.ts` of the console shows that each attack works elsewhere.
 */

const IMAGE = '<img src="/none" onerror="window.isAttacked = true">';
/** Characters that the text must not have where it is shown, by a name of what they do. */
const UNICODE = {
  "reverses what follows": ["Invoice \u202efdp.exe", "Invoice fdp.exe"],
  "isolates without an end": ["Total \u2067100 EUR", "Total 100 EUR"],
  "is a control character": ["A\u0007B\u009bC", "ABC"],
  "is drawn over other lines": [`Hi${"\u0300".repeat(20)}`, `Hi${"\u0300".repeat(3)}`],
} as const;

let s: ConsoleHarness;
let site: Site;
let agent: AgentBrowser;
let page: Page;
let panel: FrameLocator;
let conversationId: string;
const errors: string[] = [];

const thread = () => agent.page.getByRole("region", { name: "Messages of the conversation" });
const messages = () => thread().getByRole("article");
const customerName = (name: string) => thread().getByRole("heading", { name, exact: true, level: 2 });
const shown = () => panel.getByRole("region", { name: "Conversation" });
const sendAsBot = (message_parts: MessagePart[], reply_parts: MessagePart[] = []) =>
  s.client.messages.createMessage({
    params: { conversation_id: conversationId },
    body: { actor_type: "bot", message_parts, reply_parts },
  });
const expectNoAttack = async (attacked: Page): Promise<void> => {
  for (const frame of attacked.frames()) {
    const elements = await frame.locator(ATTACKING).evaluateAll((found) => found.map(({ outerHTML }) => outerHTML));
    expect(elements.filter((html) => !html.includes('id="fc_widget"'))).toEqual([]);
  }
  expect(await isAttacked(attacked)).toBe(false);
};
const visit = async (options: object): Promise<Page> => {
  const context = await s.browser.newContext({ bypassCSP: true, reducedMotion: "reduce" });
  context.on("weberror", (error) => void errors.push(error.error().message));
  const visited = await context.newPage();
  visited.setDefaultTimeout(20_000);
  await visited.goto(site.origin);
  await visited.evaluate(`fcWidget.init(${JSON.stringify(options)}), undefined`);
  return visited;
};

beforeAll(async () => {
  s = await consoleHarness();
  site = await serveSite({ "/": htmlPage("<h1>Shop</h1>", `<script src="${s.origin}/js/widget.js"></script>`) });
  agent = await s.visit(undefined, { bypassCSP: true });
  page = await visit({ externalId: "mallory", firstName: "Mallory" });
  panel = await openPanel(page);
  await write(panel, "Hello");
  await eventually(async () => {
    const { users } = await s.client.users.listUsers({ query: { reference_id: "mallory" } });
    const params = { user_id: users[0]?.id ?? "" };
    conversationId = (await s.client.users.listUserConversations({ params })).conversations?.[0]?.id ?? "";
    expect(conversationId).not.toBe("");
  });
  await agent.open(`/console/conversations/${conversationId}`);
});
afterAll(async () => {
  await page?.context().close();
  await site?.close();
  await s?.stop();
});

describe("HTML", () => {
  test.each(Object.entries(ATTACKS))("of a visitor is a text for the agent: %s", async (_kind, attack) => {
    await write(panel, attack);
    await messages().last().getByText(attack).waitFor();
    await expectNoAttack(agent.page);
    await expectNoAttack(page);
  });

  test.each(Object.entries(ATTACKS))("of an agent, app or bot is a text for the visitor: %s", async (_kind, attack) => {
    const file = { name: attack, url: "https://shop.example/file" };
    const parts = [{ text: { content: attack } }, { file }, { url_button: { label: attack, url: file.url } }];
    await sendAsBot(parts, [{ help_text: { content: attack } }]);
    await eventually(async () => expect(await shown().getByText(attack).count()).toBeGreaterThanOrEqual(4));
    await expectNoAttack(page);
  });

  test("of the names that a site gives is a text for the agent", async () => {
    await page.evaluate(`fcWidget.user.setProperties({ firstName: ${JSON.stringify(IMAGE)}, plan: "<b>Gold</b>" })`);
    await agent.page.getByRole("grid").getByText(IMAGE).waitFor();
    await agent.page.getByRole("complementary").getByText(IMAGE).first().waitFor();
    await expectNoAttack(agent.page);
  });

  test("of the names of an agent and a site is a text in the panel", async () => {
    const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 1 } });
    const [{ id: agentId, first_name } = { id: "" }] = agents;
    await s.client.agents.updateAgent({ params: { agent_id: agentId }, body: { first_name: IMAGE } });
    await s.client.messages.createMessage({
      params: { conversation_id: conversationId },
      body: { actor_type: "agent", actor_id: agentId, message_parts: [{ text: { content: "From the agent" } }] },
    });
    await shown().getByText("From the agent").waitFor();
    await shown().getByText(IMAGE, { exact: true }).first().waitFor();
    await expectNoAttack(page);
    await s.client.agents.updateAgent({ params: { agent_id: agentId }, body: { first_name } });

    const other = await visit({ config: { headerProperty: { appName: IMAGE } }, open: true });
    await panelOf(other).getByText(IMAGE).first().waitFor();
    await expectNoAttack(other);
    await other.context().close();
  });
});

test("an address that is a script is not a link, picture, video or file, and says so", async () => {
  // Requests can't send them; another system, from which messages are imported, may have taken them.
  const restoreId = randomUUID();
  await s.importMessage(
    SCRIPT_ADDRESSES.flatMap((url): readonly MessagePart[] => [
      { text: { content: `Open ${url}` } },
      { url_button: { url, label: "Open it" } },
      { image: { url } },
      { file: { name: "It", url } },
      { video: { url } },
    ]),
    { reference_id: "imported", restore_id: restoreId },
  );
  const other = await visit({ externalId: "imported", restoreId, open: true });
  const imported = panelOf(other).getByRole("region", { name: "Conversation" });
  await panelOf(other).locator("[data-conversation]").first().click();
  await imported.getByText("Open javascript").first().waitFor();
  await eventually(async () => expect(await imported.locator(".unsafeAddress").count()).toBe(12));
  for (const label of await imported.getByText("Open it").all()) await label.click();
  expect(await imported.getByRole("link").count()).toBe(0);
  expect(await imported.locator(".message img[src], video, source").count()).toBe(0);
  await expectNoAttack(other);
  await other.context().close();
});

describe("a character that", () => {
  test.each(Object.entries(UNICODE))("%s is removed for the agent", async (_kind, [written, expected]) => {
    await page.evaluate(`fcWidget.user.setProperties({ firstName: ${JSON.stringify(`Eve ${written}`)} })`);
    await write(panel, `${written} end`).catch(() => undefined);
    await eventually(async () => {
      expect(await messages().last().innerText()).toContain(`${expected} end`);
      expect(await customerName(`Eve ${expected}`).count()).toBe(1);
      expect(await agent.page.getByRole("grid").innerText()).toContain(`${expected} end`);
    });
    expect(await agent.page.locator("body").innerText()).not.toContain(written);
  });

  test.each(Object.entries(UNICODE))("%s is removed for the visitor", async (_kind, [written, expected]) => {
    const file = { name: `${written}.pdf`, url: "https://shop.example/file" };
    await sendAsBot([{ text: { content: `${written} stop` } }, { file }]);
    await eventually(async () => expect(await shown().innerText()).toContain(`${expected} stop`));
    expect(await shown().innerText()).toContain(`${expected}.pdf`);
    expect(await shown().innerText()).not.toContain(written);
  });
});

test("the pages had no errors", () => {
  expect(errors).toEqual([]);
  expect(agent.errors.filter((text) => !text.includes("net::ERR"))).toEqual([]);
});
