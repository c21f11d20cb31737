import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import type { FrontAnswer, FrontState } from "@parley/contract";
import { sessionAgent } from "../support/fake-identity-service.ts";
import { VALUES } from "../front/front-fixture.ts";
import { KEY } from "../support/fake-account.ts";
import { signInFixture, type SignInFixture } from "./sign-in-fixture.ts";

/** What the signed-in agent is to the pages and the app, and what the audit log is told. */

const APP_SETTINGS = { vendor_key: {}, region: { secure: false } };
const GROUP = "0f9e7e9e-0000-7000-8000-000000000001";

let fixture: SignInFixture;
let open: SignInFixture;
beforeAll(async () => {
  fixture = await signInFixture({ "config/app_settings.json": JSON.stringify(APP_SETTINGS) });
  open = await signInFixture({}, { isRequired: false });
  for (const { front } of [fixture, open]) {
    const { service } = front;
    service.createConversation("c-1", "Sam", "Where is my order?");
    const mine = service.createConversation("c-mine", "Kim", "Mine");
    service.conversations.set("c-mine", { ...mine, assigned_agent_id: "agent-2" });
    const ours = service.createConversation("c-ours", "Lee", "Ours");
    service.conversations.set("c-ours", { ...ours, assigned_group_id: GROUP });
    await front.host.install(VALUES);
  }
});
afterAll(async () => {
  await fixture.close();
  await open.close();
});

const grace = (more = {}) =>
  sessionAgent({ agent_id: "agent-2", email: "grace@example.com", role_id: "AGENT", role: "AGENT", ...more });

/** A page of an agent: its requests have the session, the token and the origin. */
const pageOf = async (name: string, agent = grace(), path = "/") => {
  const cookie = fixture.signIn(name, agent);
  const token = await fixture.tokenOf(path, cookie);
  const headers = { cookie, "x-page-token": token, origin: fixture.front.printed.slice(0, -1) };
  return async <A>(to: string, body: unknown): Promise<A> => {
    const { status, text } = await fixture.post(to, body, headers);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return JSON.parse(text) as A;
  };
};

const dataGet = (name: string, more = {}) => ({ question: { of: "data.get", name }, ...more });

describe("the signed-in agent", () => {
  test.each(["loggedInUser", "loggedInAgent"])(
    "client.data.get('%s') is the agent of the session, whichever agent the page names",
    async (name) => {
      const ask = await pageOf("grace");
      for (const more of [{}, { agent: "agent-1" }])
        expect(await ask<FrontAnswer>("/front/call", dataGet(name, more))).toMatchObject({
          value: { [name]: { id: "agent-2", first_name: "Grace" } },
        });
    },
  );

  test("an agent that the list of agents lacks is described by its session", async () => {
    const ask = await pageOf("new", grace({ agent_id: "agent-9", email: "new@example.com", first_name: "New" }));
    expect(await ask<FrontAnswer>("/front/call", dataGet("loggedInAgent"))).toEqual({
      value: {
        loggedInAgent: { id: "agent-9", email: "new@example.com", first_name: "New", role_id: "AGENT", groups: [] },
      },
    });
  });

  test("messages have its name, whichever agent the page names", async () => {
    const ask = await pageOf("grace");
    await ask("/front/send", { conversation: "c-1", agent: "agent-1", text: "Hello" });
    expect(fixture.front.service.messages.get("c-1")?.at(-1)).toMatchObject({ actor_id: "agent-2" });
  });

  test("the page shows it as the agent and offers no other one", async () => {
    const context = await fixture.front.browser.newContext();
    const [name = "", value = ""] = fixture.signIn("grace", grace()).split("=");
    await context.addCookies([{ name, value, domain: "localhost", path: "/", httpOnly: true, sameSite: "Lax" }]);
    const page = await context.newPage();
    await page.goto(fixture.front.printed);
    await page.locator("body[data-ready]").waitFor();
    expect(page.url()).toContain(fixture.front.address);
    expect(await page.locator("[data-agent] option").allTextContents()).toEqual(["Ada"]);
    expect(await page.locator("[data-agent]").isDisabled()).toBe(true);
    await context.close();
  });

  test("without sign-in, the agent is the one that is chosen on the page", async () => {
    const token = await open.tokenOf("/", "");
    const headers = { "x-page-token": token, origin: open.front.printed.slice(0, -1) };
    const { text } = await open.post("/front/call", dataGet("loggedInUser", { agent: "agent-2" }), headers);
    expect(JSON.parse(text)).toMatchObject({ value: { loggedInUser: { id: "agent-2" } } });
  });
});

describe("an agent's scope", () => {
  test.each([
    ["Global", ["c-1", "c-mine", "c-ours"]],
    ["Group", ["c-mine", "c-ours"]],
    ["Me", ["c-mine"]],
  ] as const)("%s contains %j", async (scope, expected) => {
    const ask = await pageOf(`scope-${scope}`, grace({ scope, groups: [GROUP] }));
    const { conversations } = await ask<FrontState>("/front/look", {});
    expect(conversations.map(({ id }) => id).sort()).toEqual(expected);
    for (const id of ["c-1", "c-mine", "c-ours"]) {
      const isReached = (expected as readonly string[]).includes(id);
      const state = await ask<FrontState>("/front/look", { conversation: id });
      expect([id, state.open !== undefined]).toEqual([id, isReached]);
      const call = await ask<FrontAnswer>("/front/call", dataGet("conversation", { conversation: id }));
      expect([id, "value" in call]).toEqual([id, isReached]);
      const sent = await ask<{ ok: boolean }>("/front/send", { conversation: id, agent: "agent-2", text: "x" });
      const changed = await ask<{ ok: boolean }>("/front/change", { conversation: id, status: "reopened" });
      expect([id, sent.ok, changed.ok]).toEqual([id, isReached, isReached]);
    }
  });
});

describe("the audit log is told of a change on the installation page", () => {
  const pools = new Map<SignInFixture, Pool>();
  afterAll(() => Promise.all([...pools.values()].map((pool) => pool.end())));
  /** The entries of the audit log, once the host has sent all. */
  const changes = async (of = fixture) => {
    const pool = pools.get(of) ?? of.front.database.pool(APP_SCHEMA);
    pools.set(of, pool);
    const isUnsent = statement("", "select 1 from change_reports limit 1");
    await waitUntil(async () => (await pool.rows(isUnsent, [])).length === 0);
    return of.identity.changes;
  };
  const ada = {
    id: expect.any(String) as unknown as string,
    account: "acme",
    app: "front-pages",
    agent_id: "agent-1",
    address: "127.0.0.1",
  };
  let ask: Awaited<ReturnType<typeof pageOf>>;
  beforeEach(async () => {
    (await changes()).length = 0;
    ask = await pageOf("ada", sessionAgent(), "/custom_configs");
  });

  test("a changed parameter, by its name and never its value", async () => {
    await ask("/custom_configs/save", { values: { ...VALUES, note: "canary-note" }, attributes: {} });
    expect(await changes()).toEqual([{ ...ada, action: "app.change", members: ["note", "api_key"] }]);
    expect(JSON.stringify(fixture.identity.changes)).not.toContain("canary");
    expect(JSON.stringify(fixture.identity.changes)).not.toContain(KEY);
  });

  test("a consent, by its subject", async () => {
    await ask("/custom_configs/consents", { subject: "api.example.com", isGiven: true });
    expect(await changes()).toEqual([{ ...ada, action: "app.change", members: ["consent api.example.com"] }]);
  });

  test("app settings, by their names", async () => {
    await ask("/custom_configs/app-settings", { values: { vendor_key: "canary-key", region: "eu" } });
    const members = ["app_settings.vendor_key", "app_settings.region"];
    expect(await changes()).toEqual([{ ...ada, action: "app.change", members }]);
  });

  test("the removal of the app and its installation, each once", async () => {
    await ask("/custom_configs/uninstall", {});
    await ask("/custom_configs/uninstall", {});
    await ask("/custom_configs/save", { values: { ...VALUES, note: "n" }, attributes: {} });
    expect(await changes()).toEqual([
      { ...ada, action: "app.uninstall", members: [] },
      { ...ada, action: "app.install", members: ["domain", "note", "api_key"] },
    ]);
  });

  test("nothing of a refused change", async () => {
    await ask("/custom_configs/save", { values: { ...VALUES, api_key: "wrong" }, attributes: {} });
    await expect(ask("/custom_configs/consents", { subject: "127.0.0.1", isGiven: true })).rejects.toThrow("400");
    expect(await changes()).toEqual([]);
  });

  test("without sign-in, the entry names no agent", async () => {
    const token = await open.tokenOf("/custom_configs", "");
    const headers = { "x-page-token": token };
    await open.post("/custom_configs/consents", { subject: "c.example.com", isGiven: true }, headers);
    expect(await changes(open)).toEqual([
      {
        id: expect.any(String),
        account: "acme",
        app: "front-pages",
        address: "127.0.0.1",
        action: "app.change",
        members: ["consent c.example.com"],
      },
    ]);
    expect(open.identity.questions).toEqual([]);
  });

  test("a service that does not answer delays no change", async () => {
    (await changes(open)).length = 0;
    open.identity.requests.length = 0;
    open.identity.setFailure("silent");
    const headers = { "x-page-token": await open.tokenOf("/custom_configs", "") };
    const body = { subject: "b.example.com", isGiven: true };
    expect((await open.post("/custom_configs/consents", body, headers)).status).toBe(200);
    // The first report of the change still waits for its answer.
    await waitUntil(() => open.identity.requests.length > 0);
    expect([open.identity.pending(), open.identity.changes]).toEqual([1, []]);
    open.identity.setFailure(undefined);
  });
});

test("no request of this file was other than the contract says", () => {
  expect([fixture.identity.faults, open.identity.faults]).toEqual([[], []]);
});
