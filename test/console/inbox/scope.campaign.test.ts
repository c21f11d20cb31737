import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AGENT_SCOPES, type AgentRole, type AgentScope } from "@parley/contract";
import type { BrowserContext, Page } from "playwright-core";
import { waitUntil } from "../../support/wait-until.ts";
import { sampleRows } from "../../support/campaign.ts";
import { consoleAccount, type AccountAgent, type ConsoleAccount } from "../support/account.ts";
import {
  consoleHarness,
  eventually,
  type AgentBrowser,
  type ConsoleHarness,
  type CustomerConversation,
} from "../support/harness.ts";

/** What the pages of the console show an agent, and what the browser receives, ends at the agent's scope. */

const ROLES = ["AGENT", "ADMIN"] as const satisfies readonly AgentRole[];
const ROWS = AGENT_SCOPES.flatMap((scope) => ROLES.map((role) => [role, scope] as const));
/** A word of each first message. */
const WORD = "zanzibar";

interface Secret extends CustomerConversation {
  readonly customer: string;
  readonly text: string;
}

let s: ConsoleHarness;
let account: ConsoleAccount;
const agents = new Map<string, AccountAgent>();
const secrets: Secret[] = [];
/** Conversations that each scope contains besides the agent's own conversations. */
const SHARED: Readonly<Record<AgentScope, readonly string[]>> = {
  None: [],
  Me: [],
  Group: ["Gitta Ingroup"],
  Global: ["Gitta Ingroup", "Otto Elsewhere", "Ursula Unassigned"],
};
const keyOf = (role: AgentRole, scope: AgentScope) => `${role} ${scope}`;
const ownCustomer = (role: AgentRole, scope: AgentScope) => `Own of ${keyOf(role, scope)}`;
const reached = (role: AgentRole, scope: AgentScope): readonly Secret[] =>
  secrets.filter(
    ({ customer }) =>
      scope === "Global" ||
      SHARED[scope].includes(customer) ||
      (scope !== "None" && customer === ownCustomer(role, scope)),
  );

beforeAll(async () => {
  s = await consoleHarness();
  account = consoleAccount(s);
  await account.apply({ groups: [{ name: "Inside" }, { name: "Outside" }] });
  const [inside, outside] = [await account.group("Inside"), await account.group("Outside")];
  const colleague = await account.agent({ name: "Carla Colleague", groups: [inside, outside] });
  const begin = async (customer: string): Promise<Secret> => {
    const text = `${WORD} first words of ${customer.toLowerCase()}`;
    const secret = { ...(await s.beginConversation(customer, text)), customer, text };
    secrets.push(secret);
    return secret;
  };
  await begin("Ursula Unassigned");
  for (const [customer, group] of [
    ["Gitta Ingroup", inside],
    ["Otto Elsewhere", outside],
  ] as const)
    await account.change((await begin(customer)).id, {
      status: "assigned",
      assigned_agent_id: colleague.id,
      assigned_group_id: group,
    });
  for (const [role, scope] of ROWS) {
    const agent = await account.agent({ name: `Ida ${role} ${scope}`, scope, role, groups: [inside] });
    agents.set(keyOf(role, scope), agent);
    const { id } = await begin(ownCustomer(role, scope));
    await account.change(id, { status: "assigned", assigned_agent_id: agent.id });
  }
}, 180_000);
afterAll(() => s.stop());

/** Collects all texts that scripts of the context's pages receive, those of streams as they come. */
const collectReceived = async (context: BrowserContext): Promise<() => string> => {
  const received = new Map<string, string>();
  await context.exposeFunction("noteReceived", (key: string, text: string) => {
    received.set(key, (received.get(key) ?? "") + text);
  });
  await context.addInitScript(`(() => {
    const send = globalThis.fetch.bind(globalThis);
    const page = Math.random();
    let count = 0;
    globalThis.fetch = async (...request) => {
      const response = await send(...request);
      const key = page + " " + (count += 1) + " " + response.url;
      const body = response.clone().body?.pipeThrough(new TextDecoderStream());
      if (body) (async () => {
        const reader = body.getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) noteReceived(key, part.value);
      })().catch(() => undefined);
      return response;
    };
  })()`);
  return () => [...received].map((entry) => entry.join("\n")).join("\n");
};

const visit = async (
  role: AgentRole,
  scope: AgentScope,
): Promise<AgentBrowser & { readonly received: () => string }> => {
  const agent = await s.visit(agents.get(keyOf(role, scope))?.email);
  agent.page.setDefaultTimeout(60_000);
  return { ...agent, received: await collectReceived(agent.context) };
};

/** -> names of customers that the page's text contains. Names in results of a search come after the results. */
const shownCustomers = async (page: Page): Promise<readonly string[]> => {
  const text = await page.locator("main").innerText();
  return secrets.map(({ customer }) => customer).filter((customer) => text.includes(customer));
};
const names = (found: readonly Secret[]) => found.map(({ customer }) => customer).sort();
const noScope = (page: Page) => page.getByText("You can’t see any conversations").waitFor();

describe.each(sampleRows(ROWS, 4))("the role %s with the scope %s", (role, scope) => {
  let agent: Awaited<ReturnType<typeof visit>>;
  const isNone = scope === "None";
  const settled = (page: Page, ready: () => Promise<unknown>) => (isNone ? noScope(page) : ready());
  beforeAll(async () => {
    agent = await visit(role, scope);
  });
  afterAll(() => agent.close());

  test("lists and counts the conversations within it", async () => {
    const { page } = agent;
    const wanted = names(reached(role, scope));
    await agent.open("/console/inbox?status=all");
    await settled(page, () =>
      page
        .getByRole("grid")
        .getByRole("row")
        .nth(wanted.length - 1)
        .waitFor(),
    );
    expect((await shownCustomers(page)).toSorted()).toEqual(wanted);
    if (isNone) return;
    const count = (view: string) =>
      page.getByRole("link", { name: new RegExp(`^${view} ${wanted.length} conversation`) });
    await count("All open").waitFor();
    await count("All").waitFor();
    // Nothing unassigned is within the scope Me: it has no such view.
    const unassigned = page.getByRole("link", { name: /^Unassigned \d/ });
    if (scope === "Me") expect(await unassigned.count()).toBe(0);
    else expect(await unassigned.innerText()).toMatch(scope === "Global" ? /\b1\b/ : /\b0\b/);
  });

  test("finds messages and customers within it", async () => {
    const { page } = agent;
    const wanted = reached(role, scope);
    await agent.open(`/console/search?q=${WORD}&kind=messages`);
    await settled(page, () => page.getByText(new RegExp(`^${wanted.length} results?$`)).waitFor());
    await eventually(async () => expect((await shownCustomers(page)).toSorted()).toEqual(names(wanted)));
    for (const { customer } of secrets.slice(0, 3)) {
      await agent.open(`/console/search?q=${encodeURIComponent(customer)}&kind=users`);
      const isReached = names(wanted).includes(customer);
      await settled(page, () => page.getByText(isReached ? /^1 result$/ : "Nothing was found").waitFor());
      await eventually(async () => expect(await shownCustomers(page)).toEqual(isReached ? [customer] : []));
    }
  });

  test("has the customers within it in the directory", async () => {
    const { page } = agent;
    const wanted = names(reached(role, scope));
    await agent.open("/console/customers");
    await settled(page, () => page.getByText(new RegExp(`^${wanted.length} customers?$`)).waitFor());
    expect((await shownCustomers(page)).toSorted()).toEqual(wanted);
  });

  test("answers addresses of others as if they did not exist", async () => {
    const { page } = agent;
    const outcomes: Record<string, readonly [conversation: boolean, customer: boolean]> = {};
    const within = new Set(reached(role, scope));
    const asked = [...secrets.slice(0, 3), ...secrets.filter(({ customer }) => customer === ownCustomer(role, scope))];
    for (const secret of asked) {
      const isShown = async (path: string, shown: () => Promise<unknown>, missing: string) => {
        await agent.open(path);
        const gone = isNone ? noScope(page) : page.getByText(missing).waitFor();
        return Promise.race([shown().then(() => true), gone.then(() => false)]);
      };
      outcomes[secret.customer] = [
        await isShown(
          `/console/conversations/${secret.id}`,
          () => page.getByRole("region", { name: "Messages of the conversation" }).getByText(secret.text).waitFor(),
          "There is no such conversation",
        ),
        await isShown(
          `/console/customers/${secret.userId}`,
          () => page.getByRole("heading", { name: secret.customer }).waitFor(),
          "This customer doesn’t exist",
        ),
      ];
    }
    const wanted = asked.map((secret) => [secret.customer, [within.has(secret), within.has(secret)]]);
    expect(outcomes).toEqual(Object.fromEntries(wanted));
  }, 180_000);

  test("receives the events of conversations within it, and of no others", async () => {
    await agent.open("/console/inbox");
    const within = reached(role, scope);
    await settled(agent.page, () => agent.page.getByRole("grid").getByRole("row").first().waitFor());
    const watcher = await visit("ADMIN", "Global");
    const text = ({ customer }: Secret) => `live words of ${customer} for ${keyOf(role, scope)}`;
    await watcher.open("/console/inbox");
    await watcher.page.getByRole("grid").getByRole("row").first().waitFor();
    // The last one is within the scope: its arrival shows that the others would have arrived.
    for (const secret of secrets.filter((each) => !within.includes(each))) await secret.write(text(secret));
    for (const secret of within) await secret.write(text(secret));
    await waitUntil(() => secrets.every((each) => watcher.received().includes(text(each))));
    await watcher.close();
    await waitUntil(() => within.every((each) => agent.received().includes(text(each))));

    const received = agent.received();
    const shown = await agent.page.content();
    const disclosed = secrets.filter(({ customer, text: first }) =>
      [customer, first].some((each) => received.includes(each) || shown.includes(each)),
    );
    expect(names(disclosed)).toEqual(names(within));
    expect(names(secrets.filter((each) => received.includes(text(each))))).toEqual(names(within));
    expect(agent.errors.filter((error) => !/status of 40[34]/.test(error))).toEqual([]);
  }, 180_000);
});

test("a conversation appears when it is assigned into the scope, and its messages stay away afterwards", async () => {
  const agent = await visit("AGENT", "Me");
  const unassigned = secrets.find(({ customer }) => customer === "Ursula Unassigned");
  if (!unassigned) throw new Error("The conversation is missing.");
  const own = secrets.find(({ customer }) => customer === ownCustomer("AGENT", "Me"));
  await agent.open("/console/inbox");
  const rows = agent.page.getByRole("grid").getByRole("row");
  await rows.first().waitFor();
  expect(await rows.count()).toBe(1);
  await account.change(unassigned.id, { status: "assigned", assigned_agent_id: agents.get("AGENT Me")?.id ?? "" });
  await rows.filter({ hasText: unassigned.customer }).waitFor();
  await unassigned.write("words while it is assigned");
  await rows.filter({ hasText: "words while it is assigned" }).waitFor();

  await account.change(unassigned.id, { assigned_agent_id: agents.get("AGENT Group")?.id ?? "" });
  await rows.filter({ hasText: unassigned.customer }).waitFor({ state: "detached" });
  await unassigned.write("words after it was assigned away");
  await own?.write("words that arrive later");
  await rows.filter({ hasText: "words that arrive later" }).waitFor();
  expect(agent.received()).not.toContain("words after it was assigned away");
  expect(await rows.count()).toBe(1);
  await agent.close();
}, 180_000);
