import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import type { AppTicket, ConsoleApp } from "@parley/contract";
import { verifyWebhook, webhookSecret } from "@parley/egress";
import {
  sessionHarness,
  type BrowserSession,
  type SessionHarness,
} from "../identity/authentication/session-harness.ts";
import { ADMIN_KEY } from "../operations/administration/endpoints/admin-harness.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";

/** Apps in the console: what the service asks platforms, and what agents get. */

const app = (name: string, title = name): ConsoleApp => ({
  name,
  title,
  origin: `http://${name}--acme.apps.localhost:10001`,
  places: [{ id: "chat_conversation.conversation_user_info", kind: "sidebar", label: "Conversation user info" }],
});

/** A platform that answers with these apps, and keeps its questions. */
interface FakePlatform {
  readonly url: string;
  readonly questions: IncomingMessage[];
  answer: { readonly status: number; readonly body: unknown } | "silent";
  close(): Promise<void>;
}

const startPlatform = async (apps: readonly ConsoleApp[]): Promise<FakePlatform> => {
  const questions: IncomingMessage[] = [];
  const server: Server = createServer((request, reply) => {
    if (request.method !== "GET") return void reply.writeHead(204).end();
    questions.push(request);
    if (platform.answer === "silent") return;
    const { status, body } = platform.answer;
    reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const platform: FakePlatform = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
    answer: { status: 200, body: { apps } },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return platform;
};

let w: SessionHarness;
let session: BrowserSession;
const platforms: FakePlatform[] = [];

/** The service anew, so that it knows no list yet. */
const start = async (subscriptions: Readonly<Record<string, string>>): Promise<void> => {
  await w?.close();
  w = await sessionHarness();
  for (const [name, url] of Object.entries(subscriptions))
    await w.admin.subscribe({ account: "acme", name, kind: "app", url });
  session = await w.signIn("noah@acme.example");
};
const platformWith = async (...apps: ConsoleApp[]): Promise<FakePlatform> => {
  const platform = await startPlatform(apps);
  platforms.push(platform);
  return platform;
};
afterEach(async () => {
  for (const platform of platforms.splice(0)) await platform.close();
});
afterAll(() => w?.close());

const list = () => w.page<{ apps: ConsoleApp[]; is_complete: boolean }>("GET", "/console/api/apps", { session });
const ticket = (name: string) => w.page<AppTicket>("POST", `/console/api/apps/${name}/ticket`, { session });

describe("GET /console/api/apps 200", () => {
  test("GET /console/api/apps 200 lists the apps of all platforms of the account, by title", async () => {
    const [one, other] = [await platformWith(app("b", "Zebra"), app("a", "Ant")), await platformWith(app("c", "Bee"))];
    await start({
      "app-host": `${one.url}/events`,
      "app-host c": `${other.url}/events`,
      "app b": `${one.url}/events/1`,
    });
    const { code, body } = await list();
    expect([code, body.apps]).toEqual([200, [app("a", "Ant"), app("c", "Bee"), app("b", "Zebra")]]);
    expect([one.questions.length, other.questions.length]).toEqual([1, 1]);
  });

  test("asks with a signature by the admin key, and sends the key to nobody", async () => {
    const platform = await platformWith(app("a"));
    await start({ "app-host": `${platform.url}/events` });
    await list();
    const [question] = platform.questions;
    expect(question?.url).toBe("/platform/accounts/acme/places");
    expect(JSON.stringify(question?.headers)).not.toContain(ADMIN_KEY);
    const signed = {
      headers: question?.headers ?? {},
      body: "GET /platform/accounts/acme/places",
      nowSeconds: Math.floor(Date.now() / 1_000),
    };
    expect(verifyWebhook({ ...signed, secret: webhookSecret(Buffer.from(ADMIN_KEY)) })).toBe(true);
    expect(verifyWebhook({ ...signed, secret: webhookSecret(Buffer.from("another")) })).toBe(false);
  });

  test("concurrent and later requests of some seconds share one question", async () => {
    const platform = await platformWith(app("a"));
    await start({ "app-host": `${platform.url}/events` });
    await Promise.all([list(), list(), list()]);
    await list();
    expect(platform.questions).toHaveLength(1);
  });

  test("lists none, without asking, on an account without apps", async () => {
    await start({});
    expect((await list()).body).toEqual({ apps: [], is_complete: true });
  });

  test.each([
    ["answers with an error", { status: 500, body: {} }],
    ["refuses the signature", { status: 401, body: {} }],
    ["answers in another form", { status: 200, body: { apps: [{ name: "a" }] } }],
    ["does not answer", "silent"],
  ] as const)("lists the apps of the others where a platform %s", async (_title, answer) => {
    const [failing, other] = [await platformWith(app("a")), await platformWith(app("b"))];
    failing.answer = answer;
    await start({ "app-host": `${failing.url}/events`, "app-host b": `${other.url}/events` });
    expect((await list()).body).toEqual({ apps: [app("b")], is_complete: false });
    expect(w.logLines.filter((line) => line.includes(failing.url))).toHaveLength(1);
  });

  test.each(["https://evil.example", "http://apps.localhost.evil.example", "http://a--acme.apps.localhost:1/path"])(
    "lists no app whose page is at %s, which is not an address of apps",
    async (origin) => {
      const platform = await platformWith({ ...app("a"), origin }, app("b"), {
        ...app("c"),
        origin: "http://app-c.localhost:10001",
      });
      await start({ "app-host": `${platform.url}/events` });
      expect((await list()).body.apps.map(({ name }) => name)).toEqual(["b", "c"]);
    },
  );

  test("lists the apps of a platform soon after it answers again", async () => {
    const platform = await platformWith(app("a"));
    const { answer } = platform;
    platform.answer = { status: 503, body: {} };
    await start({ "app-host": `${platform.url}/events` });
    expect((await list()).body).toEqual({ apps: [], is_complete: false });
    platform.answer = answer;
    await waitUntil(async () => (await list()).body.is_complete);
    expect((await list()).body.apps).toEqual([app("a")]);
  });

  test("lists none where nothing listens at the address", async () => {
    const platform = await platformWith(app("a"));
    await platform.close();
    await start({ "app-host": `${platform.url}/events` });
    expect((await list()).body).toEqual({ apps: [], is_complete: false });
  });
});

describe("POST /console/api/apps/{name}/ticket", () => {
  const redeemed = (given: string, origin: string) =>
    w.adminRequest<{ session?: string; agent?: { email: string } }>("POST", "/admin/page-tickets/redemptions", {
      ticket: given,
      origin,
    });

  test("POST /console/api/apps/{name}/ticket 201 issues a ticket for the origin that the platform named", async () => {
    const platform = await platformWith(app("a"));
    await start({ "app-host": `${platform.url}/events` });
    const { code, body } = await ticket("a");
    expect([code, body.origin]).toEqual([201, app("a").origin]);
    expect((await redeemed(body.ticket, app("a").origin)).body.agent?.email).toBe("noah@acme.example");
    expect((await redeemed(body.ticket, app("a").origin)).body.session).toBeUndefined();
    const another = (await ticket("a")).body.ticket;
    expect((await redeemed(another, app("b").origin)).body.session).toBeUndefined();
  });

  test("POST /console/api/apps/{name}/ticket 404 CONSOLE_APP_NOT_FOUND for an app that is not listed", async () => {
    const platform = await platformWith(app("a"));
    await start({ "app-host": `${platform.url}/events` });
    for (const name of ["b", "", "a%00", "__proto__"]) expect(await ticket(name)).toMatchObject({ code: 404 });
    expect((await ticket("b")).body.status).toBe("CONSOLE_APP_NOT_FOUND");
  });

  test("needs the session's token and the origin of the service", async () => {
    const platform = await platformWith(app("a"));
    await start({ "app-host": `${platform.url}/events` });
    const send = (more: object) => w.page("POST", "/console/api/apps/a/ticket", { session, ...more });
    expect((await send({ session: { cookie: session.cookie } })).code).toBe(401);
    expect((await send({ origin: app("a").origin })).code).toBe(403);
    expect((await send({ origin: "" })).code).toBe(403);
    expect((await send({})).code).toBe(201);
  });

  test("neither the list nor a ticket is given to an agent whose scope is None, nor to an access token", async () => {
    const platform = await platformWith(app("a"));
    await start({ "app-host": `${platform.url}/events` });
    const { body } = await w.page<{ agent_id: string }>("GET", "/identity/session", { session });
    await w.adminRequest("PUT", `/admin/accounts/acme/agents/${body.agent_id}`, { scope: "None" });
    for (let left = 40; left > 0 && (await list()).code !== 403; left -= 1) await new Promise((r) => setTimeout(r, 50));
    expect([(await list()).body.status, (await ticket("a")).body.status]).toEqual(["FORBIDDEN", "FORBIDDEN"]);
    expect((await w.raw("GET", "/console/api/apps")).status).toBe(403);
    expect((await w.raw("POST", "/console/api/apps/a/ticket")).status).toBe(403);
  });
});
