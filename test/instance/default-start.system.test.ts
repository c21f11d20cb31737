import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sampleRows } from "../support/campaign.ts";
import { parleyClient, type ParleyClient } from "@parley/client";
import type { Conversation, Invocation } from "@parley/contract";
import type { Browser, Frame, Page } from "playwright-core";
import { launchBrowser } from "../../packages/framework/test/support/browser.ts";
import { chatHarness, until, type ChatHarness } from "./chat-harness.ts";
import { parley, ROOT, startParley, temporaryFolder, type RunningParley } from "../support/parley-process.ts";

/**
 * Every feature of Concierge that docs/admins/concierge.md lists, on exactly what `npm start` provides: its key, installation and defaults.
 * Customers write with `parley chat`, the admin changes settings on the installation page, agents use the app's page, and `parley clock`
 * advances the time.
 */

const STORED = "App installation parameters have been successfully stored. You can now proceed to test the app.";
/** The next Monday: keys that the start issues are valid then. */
const MONDAY = (() => {
  const day = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000);
  while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() + 1);
  return day;
})();
const at = (days: number, time: string): string => {
  const day = new Date(MONDAY.getTime() + days * 86_400_000);
  return `${day.toISOString().slice(0, 10)}T${time}:00.000Z`;
};

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley;
let browser: Browser;
let client: ParleyClient;
let admin: Page;
let agentPage: Page;
beforeAll(async () => {
  data = await temporaryFolder();
  [running, browser] = await Promise.all([
    startParley(data.folder, { env: { PARLEY_CALLS_PER_HOUR: undefined } }),
    launchBrowser(),
  ]);
  client = parleyClient({ url: running.service, token: running.token });
  const context = await browser.newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(30_000);
  [admin, agentPage] = await Promise.all([context.newPage(), context.newPage()]);
  await command("clock", "freeze", at(0, "10:00"));
});
const customers: ChatHarness[] = [];
afterAll(async () => {
  for (const customer of customers) customer.leave();
  await browser.close();
  await running.stop();
  await data.remove();
});

const command = async (...args: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await parley(args, { env: { PARLEY_DATA: data.folder } });
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: "" });
  return stdout;
};

const found = <T>(what: string, getValue: () => Promise<T | undefined>): Promise<T> =>
  until(what, getValue, () => running.output.stderr);

const customer = (name: string): ChatHarness => {
  const one = chatHarness(name, data.folder, client);
  customers.push(one);
  return one;
};

/** Changes settings on the installation page as the admin. */
async function change(fill: (page: Page) => Promise<void>): Promise<void> {
  await admin.goto(running.installPage);
  // The page is ready when it has loaded data with the stored key.
  await admin.getByLabel("Support", { exact: true }).waitFor();
  await fill(admin);
  await admin.getByRole("button", { name: "Save changes" }).click();
  await admin.getByText(STORED).waitFor();
}

/** Opens a conversation as an agent. Returns the frame of the panel beside it. */
async function opened({ conversation_id }: Conversation): Promise<Frame> {
  await agentPage.goto(`${running.app}/?conversation=${conversation_id}`);
  const panel = await (await agentPage.locator(".place-view.sidebar iframe").elementHandle())?.contentFrame();
  if (!panel) throw new Error("The panel has no frame.");
  return panel;
}

const groupNamed = async (name: string) =>
  (await client.groups.listGroups()).groups.find((one) => one.name === name)?.id;
const notesIn = async (conversation_id: string): Promise<string[]> => {
  const { messages } = await client.messages.listMessages({
    params: { conversation_id },
    query: { items_per_page: 50 },
  });
  return messages
    .filter(({ message_type }) => message_type === "private")
    .map(({ message_parts }) => message_parts.map(({ text }) => text?.content ?? "").join("\n"));
};
const isRouted = (who: ChatHarness, group: string, priority: string) =>
  found(`${group}, ${priority}`, async () => {
    const { assigned_group_id, properties } = await who.conversation();
    const isThere = assigned_group_id === (await groupNamed(group)) && properties?.["priority"] === priority;
    return isThere || undefined;
  });

const FEATURES: Readonly<Record<string, () => Promise<void>>> = {
  async greets() {
    const ada = customer("Ada");
    ada.write("Hi");
    await ada.waitForOutput("Concierge: Hi Ada, this is Concierge. What can we do for you today?");
    await ada.waitForOutput("2) I need help with my order");
  },

  async "captures leads"() {
    const bob = customer("Bob");
    bob.write("You reach me by bob@customer.example");
    await bob.waitForOutput("May we keep bob@customer.example so that we can reach you?");
    bob.write("1");
    await found("the kept address", async () => {
      const { users } = await client.users.listUsers({ query: { email: "bob@customer.example" } });
      return users.length === 1 && users[0]?.first_name === "Bob" ? true : undefined;
    });
  },

  async routes() {
    const cleo = customer("Cleo");
    cleo.write("Hi");
    await cleo.waitForOutput("2) I need help with my order");
    cleo.write("2");
    await cleo.waitForOutput("Thank you. Support will answer you here.");
    await isRouted(cleo, "Support", "High");
    await change(async (page) => {
      await page.fill("#try_message", "I want my money back");
      await page.fill("#rules", "keyword money back => group Billing; priority Urgent");
      await page.getByText("This message would go to the group Billing, priority Urgent.").waitFor();
    });
    const dora = customer("Dora");
    dora.write("I want my money back");
    await isRouted(dora, "Billing", "Urgent");
  },

  async "answers after hours"() {
    await change((page) => page.check("#after_hours"));
    await command("clock", "freeze", at(5, "20:00"));
    const emil = customer("Emil");
    emil.write("Is anybody there?");
    await emil.waitForOutput("We are closed at the moment, and back on Monday ");
    await command("clock", "freeze", at(7, "09:00"));
    await emil.waitForOutput("Good morning, Emil! We are back");
  },

  async "follows up"() {
    await change((page) => page.check("#follow_up"));
    const fay = customer("Fay");
    fay.write("It is broken");
    await fay.waitForOutput("Hi Fay");
    await opened(await fay.conversation());
    await agentPage.getByRole("textbox", { name: "Message" }).fill("Which part of it?");
    await agentPage.getByRole("button", { name: "Send" }).click();
    await fay.waitForOutput("Which part of it?");
    await found("the handled reply", async () => {
      const calls = (await command("logs", "--json", "--event", "onMessageCreate")).split("\n");
      return calls.some((call) => call.includes("Which part of it?")) || undefined;
    });
    await command("clock", "advance", "24h");
    await fay.waitForOutput("Are you still there?");
    await command("clock", "advance", "48h");
    await fay.waitForOutput("How did we do? 5 is very good.");
    expect(await fay.conversation()).toMatchObject({ status: "resolved" });
    fay.write("1");
    await found("the reopened conversation", async () => {
      const { status, properties } = await fay.conversation();
      return status !== "resolved" && properties?.["priority"] === "Urgent" ? true : undefined;
    });
  },

  async integrates() {
    await change(async (page) => {
      await page.check("#sync_in");
      await page.fill("#outbound_events", "order.shipped => order_update (en): {{user.first_name}}, {{data.number}}");
      await page.fill("#outbound_from", "+12125550199");
      await page.fill("#outbound_namespace", "acme_shop");
      await page.check("#sync_out");
      await page.fill("#sync_url", "https://hooks.customer.example/parley");
      await page.fill("#sync_secret", "a secret that nobody guesses");
    });
    const ines = customer("Ines");
    ines.write("Hi");
    const panel = await opened(await ines.conversation());
    await panel.getByText("Address for other systems").first().click();
    await panel.getByRole("button", { name: "Show the address" }).click();
    await found("the address", async () => (await panel.inputValue("#address-value")) || undefined);
    const response = await fetch(await panel.inputValue("#address-value"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        id: "order-1041",
        event: "order.shipped",
        user: { reference_id: "c-1041", phone: "+12025550141", first_name: "Jo" },
        data: { number: "1041" },
      }),
    });
    expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 200 });
    await found("the template message", async () => {
      const query = { items_per_page: 100 };
      const { outbound_messages: sent } = await client.outbound.listOutboundMessages({ query });
      return sent.find(({ to }) => to[0]?.phone_number === "+12025550141");
    });
    // The other system doesn't exist: the log shows that the template with the secret was requested.
    await found("the request to the other system", async () => {
      const calls = (await command("logs", "--json", "--event", "onUserCreate")).trim().split("\n");
      const requests = calls.flatMap((line) => (JSON.parse(line) as Invocation).requests);
      return requests.find(({ url }) => url.startsWith("https://hooks.customer.example/parley"));
    });
  },

  async reports() {
    const gus = customer("Gus");
    gus.write("The report's conversation");
    const { conversation_id: id } = await gus.conversation();
    await change(async (page) => {
      await page.check("#digest");
      await page.fill("#digest_conversation", id);
    });
    await command("clock", "advance", "24h");
    await found("the report", async () => (await notesIn(id)).find((note) => note.startsWith("Report of ")));
  },

  async "assists agents"() {
    const hal = customer("Hal");
    hal.write("Hi");
    await hal.waitForOutput("Hi Hal");
    const panel = await opened(await hal.conversation());
    await panel.getByRole("heading", { name: "Hal" }).waitFor();
    await panel.locator("#decision-log").getByText("Greeted in the topic Inbox.").waitFor();
    await panel.getByRole("button", { name: /Thank/ }).click();
    const editor = agentPage.getByRole("textbox", { name: "Message" });
    await found("the reply in the editor", async () =>
      (await editor.inputValue()).startsWith("Thank you, Hal!") ? true : undefined,
    );
    await panel.getByRole("button", { name: "Assign to me" }).click();
    await found("the assigned agent", async () => (await hal.conversation()).assigned_agent_id);
    expect(await panel.locator("#failure").isVisible()).toBe(false);
  },
};

describe("on a default start, Concierge", () => {
  const section =
    /\n## What Concierge does\n([\s\S]*?)\n## /.exec(
      readFileSync(join(ROOT, "docs/admins/concierge.md"), "utf8"),
    )?.[1] ?? "";
  const rows = [...section.matchAll(/^\| (.+?) \|/gm)].map(([, name = ""]) => name).slice(1);

  test("has exactly one test for each feature that docs/admins/concierge.md lists", () => {
    expect(Object.keys(FEATURES)).toEqual(rows);
  });
  test.each(sampleRows(rows, 2))("%s", async (row) => {
    const feature = FEATURES[row];
    if (!feature) throw new Error(`The feature '${row}' has no test.`);
    await feature();
    expect(running.output.stderr).not.toMatch(/permission|API key|error:/);
  });
});
