import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PAGE_SESSION_HEADER, SESSION_TOKEN, type AppTicket, type ConsoleApp, type EmbedModel } from "@parley/contract";
import { frontPagesFiles, signInToConsole, type ConsoleSession } from "./console-page-harness.ts";
import { createAgent, enterSite, requestAt, type HostReply } from "./platform-browser-sessions.ts";
import { ADMIN_KEY, originOf, platformHarness, type PlatformHarness } from "./platform-harness.ts";

/** The session of an app's page inside the console, over HTTP: how it begins, what it admits to, and when it ends. */

let platform: PlatformHarness;
let origin: string;
let session: ConsoleSession;
let adminSession: ConsoleSession;
let site: string;
let otherSite: string;
let conversation: string;

beforeAll(async () => {
  platform = await platformHarness();
  origin = `http://localhost:${platform.service.port}`;
  const files = await frontPagesFiles();
  await platform.publish(files, "name=front-pages&version=1.0.0");
  await platform.publish(files, "name=other-pages&version=1.0.0");
  await platform.install("acme", { name: "front-pages" });
  await platform.install("acme", { name: "other-pages" });
  conversation = await platform.write("acme", "Where is my order?");
  session = await newSession("AGENT");
  adminSession = await newSession("ADMIN");
  const { port } = platform.platform;
  site = `http://front-pages--acme.apps.localhost:${port}`;
  otherSite = `http://other-pages--acme.apps.localhost:${port}`;
});
afterAll(() => platform?.close());

let agents = 0;
const newAgent = async (scope: string): Promise<string> => {
  const client = await platform.client("acme");
  const email = `embedded-${(agents += 1)}@example.com`;
  const { id } = await client.agents.createAgent({ body: { email, role_id: "AGENT", first_name: "Kay" } });
  await platform.admin("PUT", `/admin/accounts/acme/agents/${id}`, { scope });
  return id;
};
const sessionOf = (agent: string) => signInToConsole(origin, ADMIN_KEY, { account: "acme", agent });
const newSession = async (role: "AGENT" | "ADMIN") => sessionOf(await createAgent(platform, "acme", role));

const service = async <T>(
  method: string,
  path: string,
  { cookie, token }: ConsoleSession = session,
): Promise<{ readonly status: number; readonly body: T & { readonly status?: string } }> => {
  const headers = { cookie, [SESSION_TOKEN]: token, ...(method !== "GET" && { origin }) };
  const reply = await fetch(origin + path, { method, headers });
  return { status: reply.status, body: (await reply.json()) as T & { status?: string } };
};
const ticketFor = async (name = "front-pages", as: ConsoleSession = session): Promise<string> =>
  (await service<AppTicket>("POST", `/console/api/apps/${name}/ticket`, as)).body.ticket;

const own = (at: string) => ({
  origin: at,
  "content-type": "application/json",
  "sec-fetch-site": "same-origin",
  accept: "*/*",
});
const exchange = (ticket: unknown, at = site, headers: Record<string, string> = own(at)): Promise<HostReply> =>
  requestAt(`${at}/embed/session`, { method: "POST", headers, body: JSON.stringify({ ticket }) });
const begin = async (as: ConsoleSession = session): Promise<string> =>
  (JSON.parse((await exchange(await ticketFor("front-pages", as))).text) as { session: string }).session;
const get = (path: string, embedded: string, headers: Record<string, string> = {}) =>
  requestAt(site + path, { headers: { ...own(site), [PAGE_SESSION_HEADER]: embedded, ...headers } });
const modelOf = async (embedded: string): Promise<EmbedModel> =>
  JSON.parse((await get("/embed/model", embedded)).text) as EmbedModel;
const call = async (
  embedded: string,
  token: string,
  question: object,
  headers: Record<string, string> = {},
  of = conversation,
) =>
  requestAt(`${site}/front/call`, {
    method: "POST",
    headers: { ...own(site), [PAGE_SESSION_HEADER]: embedded, "x-page-token": token, ...headers },
    body: JSON.stringify({ question, conversation: of }),
  });
const CONVERSATION = { of: "data.get", name: "conversation" };

describe("a ticket of the console", () => {
  test("begins one session, and no second session", async () => {
    const ticket = await ticketFor();
    const [first, second] = [await exchange(ticket), await exchange(ticket)];
    expect([first.status, first.setCookies, second.status]).toEqual([200, [], 401]);
  });
  test("is used up at another host name, where it is not valid", async () => {
    const ticket = await ticketFor();
    expect((await exchange(ticket, otherSite)).status).toBe(401);
    expect((await exchange(ticket)).status).toBe(401);
  });
  test.each([
    ["an unknown ticket", 401, () => exchange("x".repeat(43))],
    ["no ticket", 400, () => exchange("")],
    ["a ticket that is not a text", 400, () => exchange({})],
    [
      "a page of another site",
      403,
      async () => exchange(await ticketFor(), site, { ...own(site), "sec-fetch-site": "cross-site" }),
    ],
    [
      "a frame of the app",
      403,
      async () => exchange(await ticketFor(), site, { ...own(site), "sec-fetch-site": "same-site" }),
    ],
    ["another Origin", 403, async () => exchange(await ticketFor(), site, { ...own(site), origin: otherSite })],
    ["the host of frames", 421, async () => exchange(await ticketFor(), site.replace("//", "//frame--"))],
    [
      "no Origin",
      403,
      async () => {
        const { origin: _origin, ...headers } = own(site);
        return exchange(await ticketFor(), site, headers);
      },
    ],
  ])("with %s answers %i", async (_title, status, send) => {
    expect((await send()).status).toBe(status);
  });
});

describe("the session of a page inside the console", () => {
  test("admits to the page's data and to calls of the app in the name of the agent", async () => {
    const embedded = await begin();
    const model = await modelOf(embedded);
    expect(model).toMatchObject({ agent: { id: session.agentId }, revision: expect.stringMatching(/\.1$/) });
    expect(model.places).toHaveLength(5);
    const { status, text } = await call(embedded, model.token, CONVERSATION);
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { value: { conversation: { conversation_id: conversation } } },
    ]);
  });
  test("admits to nothing else, even that of an admin", async () => {
    const embedded = await begin(adminSession);
    const { token } = await modelOf(embedded);
    for (const path of ["/", "/custom_configs", "/custom_configs/token", "/front/page.js"])
      expect([path, (await get(path, embedded)).status]).toEqual([path, 403]);
    for (const path of [
      "/front/look",
      "/front/send",
      "/front/change",
      "/custom_configs/save",
      "/custom_configs/uninstall",
    ]) {
      const headers = { ...own(site), [PAGE_SESSION_HEADER]: embedded, "x-page-token": token };
      const { status } = await requestAt(site + path, { method: "POST", headers, body: "{}" });
      expect([path, status]).toEqual([path, 403]);
    }
  });
  test("needs the page's token, its own origin and its own host name", async () => {
    const embedded = await begin();
    const { token } = await modelOf(embedded);
    const statusOf = async (reply: Promise<HostReply>) => (await reply).status;
    expect(await statusOf(call(embedded, token, CONVERSATION))).toBe(200);
    expect(await statusOf(call(embedded, "", CONVERSATION))).toBe(403);
    expect(await statusOf(call(await begin(), token, CONVERSATION))).toBe(403);
    expect(await statusOf(call(embedded, token, CONVERSATION, { origin: otherSite }))).toBe(403);
    expect(await statusOf(call(embedded, token, CONVERSATION, { "sec-fetch-site": "same-site" }))).toBe(403);
    const elsewhere = { headers: { ...own(otherSite), [PAGE_SESSION_HEADER]: embedded } };
    expect(await statusOf(requestAt(`${otherSite}/embed/model`, elsewhere))).toBe(401);
  });
  test("is not a cookie, and the cookie of the page for agents is not such a session", async () => {
    const embedded = await begin();
    const headers = { accept: "*/*" };
    expect((await requestAt(`${site}/front/page.js`, { cookie: `parley_apps=${embedded}`, headers })).status).toBe(401);
    const cookie = await enterSite(`${site}/`, session.cookie);
    expect((await requestAt(`${site}/front/page.js`, { cookie, headers })).status).toBe(200);
    expect((await get("/embed/model", cookie?.split(/=(.*)/s)[1] ?? "")).status).toBe(401);
    expect((await requestAt(`${site}/embed/model`, { cookie: session.cookie, headers })).status).toBe(401);
  });
  test("ends within a second of the agent's session, and no ticket begins another session", async () => {
    const ending = await sessionOf(await newAgent("Global"));
    const embedded = await begin(ending);
    const { token } = await modelOf(embedded);
    expect((await call(embedded, token, CONVERSATION)).status).toBe(200);
    const unused = await ticketFor("front-pages", ending);
    expect((await service("DELETE", "/identity/session", ending)).status).toBe(200);
    await platform.until(async () => ((await call(embedded, token, CONVERSATION)).status === 401 ? true : undefined));
    expect((await exchange(unused)).status).toBe(401);
  });
  test("reaches the conversations of the agent's scope only", async () => {
    const agent = await newAgent("Me");
    const embedded = await begin(await sessionOf(agent));
    const { token } = await modelOf(embedded);
    const assigned = await platform.write("acme", "For Kay");
    const client = await platform.client("acme");
    const params = { conversation_id: assigned };
    await client.conversations.updateConversation({ params, body: { assigned_agent_id: agent, status: "assigned" } });
    const answer = async (of: string) =>
      JSON.parse((await call(embedded, token, CONVERSATION, {}, of)).text) as unknown;
    expect(await answer(conversation)).toMatchObject({ failure: { status: 404 } });
    expect(await answer(assigned)).toMatchObject({ value: { conversation: { conversation_id: assigned } } });
    // The scope is taken away while the page is open.
    await platform.admin("PUT", `/admin/accounts/acme/agents/${agent}`, { scope: "None" });
    await platform.until(async () => ((await call(embedded, token, CONVERSATION)).status === 403 ? true : undefined));
    expect((await get("/embed/model", embedded)).status).toBe(403);
  });
  test("says why the app can't be used while it is paused, and the console does not list it", async () => {
    const embedded = await begin();
    await platform.request("POST", "/platform/accounts/acme/apps/front-pages/pause");
    expect((await modelOf(embedded)).problem).toContain("paused");
    const untilListed = (names: string) =>
      platform.until(async () => {
        const { body } = await service<{ apps: ConsoleApp[] }>("GET", "/console/api/apps");
        return body.apps.map(({ name }) => name).join() === names ? true : undefined;
      });
    await untilListed("other-pages");
    expect(await service("POST", "/console/api/apps/front-pages/ticket")).toMatchObject({
      status: 404,
      body: { status: "CONSOLE_APP_NOT_FOUND" },
    });
    await platform.request("POST", "/platform/accounts/acme/apps/front-pages/resume");
    expect((await modelOf(embedded)).problem).toBeUndefined();
    await untilListed("front-pages,other-pages");
  });
  test("lasts over an upgrade of the app: the page gets its new version and a valid token", async () => {
    const embedded = await begin();
    const { token, revision } = await modelOf(embedded);
    await platform.publish(await frontPagesFiles(), "name=front-pages&version=1.1.0");
    const upgrade = await platform.request("POST", "/platform/accounts/acme/apps/front-pages/upgrade");
    expect(upgrade.status).toBe(200);
    const next = await modelOf(embedded);
    expect([next.revision !== revision, next.token !== token]).toEqual([true, true]);
    expect((await call(embedded, next.token, CONVERSATION)).status).toBe(200);
  });
});

describe("an agent whose scope is None", () => {
  test("gets no list, no ticket and no data", async () => {
    const agent = await newAgent("None");
    const none = await sessionOf(agent);
    for (const [method, path] of [
      ["GET", "/console/api/apps"],
      ["POST", "/console/api/apps/front-pages/ticket"],
    ] as const)
      expect(await service(method, path, none)).toMatchObject({ status: 403, body: { status: "FORBIDDEN" } });
  });
});

describe("GET /platform/accounts/{account}/places", () => {
  const path = "/platform/accounts/acme/places";
  test("GET /platform/accounts/{account}/places 200 lists the active apps with pages, for the admin key", async () => {
    const { status, body } = await platform.request<{ apps: ConsoleApp[] }>("GET", path);
    expect([status, body.apps.map(({ name }) => name)]).toEqual([200, ["front-pages", "other-pages"]]);
    expect((await platform.request("GET", "/platform/accounts/nobody/places")).body).toEqual({ apps: [] });
  });
  test("is the same from every process of the platform", async () => {
    const another = await platform.startAnother();
    const [one, other] = [originOf(platform.platform), originOf(another)].map((at) =>
      platform.request<{ apps: ConsoleApp[] }>("GET", path, undefined, undefined, at),
    );
    const namesOf = ({ apps }: { readonly apps: readonly ConsoleApp[] }) =>
      apps.map(({ name, places }) => [name, places]);
    expect(namesOf((await other!).body)).toEqual(namesOf((await one!).body));
  });
  test.each([
    ["no credential", {}],
    ["a wrong key", { authorization: "Bearer x" }],
    ["a wrong signature", { "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,eA==" }],
  ])("with %s answers 401", async (_title, headers) => {
    expect((await platform.request("GET", path, undefined, headers)).status).toBe(401);
  });
});
