import { request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import { KEY } from "../support/fake-account.ts";
import { messageEvent, hostFixture, type HostFixture } from "../support/host-fixture.ts";

const VALUES = { domain: "acme.parley.localhost", api_key: KEY };

describe("an installed app", () => {
  let fixture: HostFixture;
  beforeAll(async () => {
    fixture = await hostFixture("listener");
    expect(await fixture.host.install(VALUES)).toEqual({ ok: true });
  });
  beforeEach(() => void (fixture.lines.length = 0));
  afterAll(() => fixture.close());

  test("receives an event in the documented shape, without secure parameters", async () => {
    const event = messageEvent("show");
    expect(await fixture.deliver(event)).toBe(204);
    const line = await fixture.waitForLog(/^\[listener\] info: \{/);
    expect(JSON.parse(line.replace(/^\[listener\] info: /, ""))).toEqual({
      account_id: 7,
      domain: "acme.parley.localhost",
      event: "onMessageCreate",
      region: "EUC",
      timestamp: 1_900_000_000_000,
      version: "1.0.0",
      data: event.data,
      iparams: { domain: "acme.parley.localhost", note: "usual" },
      currentHost: {
        subscribed_modules: ["chat_conversation"],
        endpoint_urls: {
          freshchat: "https://acme.parley.localhost",
          chat: "https://acme.parley.localhost",
        },
      },
    });
  });

  test("sends requests to the account by its templates, with the key that it never receives", async () => {
    expect(await fixture.deliver(messageEvent("groups"))).toBe(204);
    expect(fixture.account.requests.at(-1)).toEqual({ path: "/v2/groups", authorization: `Bearer ${KEY}` });
    await fixture.waitForLog(/"Sales"/);
  });

  test("receives an event again after its handler failed, and the log names handler and reason", async () => {
    const event = messageEvent("fail");
    expect(await fixture.deliver(event)).toBe(500);
    expect(await fixture.deliver(event)).toBe(500);
    const line = await fixture.waitForLog(/onMessageCreateHandler failed/);
    expect(line).toContain(event.id);
    expect(line).toContain("the handler's own mistake");
    expect(line).toContain("server/server.ts:23:");
  });

  test("receives a successful event once, however often, when and after which restart it is delivered", async () => {
    const event = messageEvent("slowly");
    expect(await Promise.all([1, 2, 3].map(() => fixture.deliver(event)))).toEqual([204, 204, 204]);
    expect(await fixture.deliver(event)).toBe(204);
    await fixture.restart();
    expect(await fixture.deliver(event)).toBe(204);
    await fixture.waitForLog(/\{"n":1\}/);
    expect(fixture.lines.filter((line) => line.includes('"n":'))).toHaveLength(1);
  });

  test("is restarted after an endless loop and handles the next event", async () => {
    expect(await fixture.deliver(messageEvent("loop"))).toBe(500);
    await fixture.waitForLog(/onMessageCreateHandler took more than 2 s/);
    expect(await fixture.deliver(messageEvent("greet"))).toBe(204);
    await fixture.waitForLog(/first version/);
  });

  test.each([
    ["for another account", { account: "solo" }],
    ["of a kind without a listener", { kind: "user_create" }],
    ["of an unknown kind", { kind: "something_new" }],
    ["of a kind that is an object's member", { kind: "constructor" }],
  ])("receives no event %s, which is answered 204", async (_title, more) => {
    expect(await fixture.deliver(messageEvent("show", more as never))).toBe(204);
    expect(fixture.lines).toEqual([]);
  });

  test.each([
    ["another secret", { secret: "whsec_AAAA" }],
    ["no secret", { secret: "whsec_" }],
    ["another body", { body: "{}" }],
    ["an old time", { timestampSeconds: 1 }],
  ])("receives no event signed with %s, which is answered 401", async (_title, signature) => {
    const event = messageEvent("show");
    const status = await fixture.deliver(event, signature);
    expect(status).toBe(401);
    expect(fixture.lines).toEqual([]);
  });

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "receives no event whose header %s was changed or removed",
    async (name) => {
      for (const value of ["", "1", "v1,AAAA"])
        expect(await fixture.deliver(messageEvent("show"), {}, { [name]: value })).toBe(401);
      expect(fixture.lines).toEqual([]);
    },
  );

  test("is shown with name and state at /, and its files under /app/", async () => {
    const home = await fetch(`${fixture.host.url}/`);
    expect(home.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await home.text();
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain("<h1>Listener</h1>");
    expect(text).toContain("Hears everything");
    expect(text).toContain("<strong>acme</strong>");
    const page = await fetch(`${fixture.host.url}/app/`);
    expect(page.headers.get("content-security-policy")).toContain("sandbox");
    const shown = await page.text();
    expect(shown).toContain("<title>Listener</title>");
    expect(shown).not.toContain("appclient");
    expect((await fetch(`${fixture.host.url}/app/styles/icon.svg`)).headers.get("content-type")).toBe("image/svg+xml");
  });

  test.each([
    "../manifest.json",
    "%2e%2e/manifest.json",
    "..%2fmanifest.json",
    "styles/..%2f..%2fpackage.json",
    ".hidden",
    "gone.js",
    "%00",
  ])("serves no file outside app/: /app/%s", async (path) => {
    expect(await rawStatus(fixture.host.port, `/app/${path}`)).not.toBe(200);
  });

  test("is served under its own host names only", async () => {
    expect(await rawStatus(fixture.host.port, "/", "evil.example")).toBe(421);
    expect(await rawStatus(fixture.host.port, "/", "localhost")).toBe(200);
  });
});

const rawStatus = (port: number, path: string, host = "127.0.0.1"): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ port, host: "127.0.0.1", path, headers: { host } }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    });
    outgoing.on("error", reject).end();
  });

test("an event id is forgotten after a day", async () => {
  let day = 0;
  const now = () => new Date(realHostPorts.now().getTime() + day * 86_400_000);
  const fixture = await hostFixture("listener", { ports: { ...realHostPorts, now } });
  await fixture.host.install(VALUES);
  const rows = () => fixture.database.pool(APP_SCHEMA).rows(statement("", "select event_id from handled_events"), []);
  await fixture.deliver(messageEvent("greet"));
  await fixture.deliver(messageEvent("greet"));
  expect(await rows()).toHaveLength(2);
  day = 1.01;
  await fixture.deliver(messageEvent("greet"));
  expect(await rows()).toHaveLength(1);
  await fixture.close();
});

test("an internal error of the host is logged and answered without details", async () => {
  const fixture = await hostFixture("listener");
  await fixture.host.install(VALUES);
  await fixture.database.pool(APP_SCHEMA).rows(statement("", "drop table handled_events"), []);
  expect(await fixture.deliver(messageEvent("greet"))).toBe(500);
  expect(await fixture.waitForLog(/^error: POST \/events failed/)).toContain("handled_events");
  await fixture.database.pool(APP_SCHEMA).rows(statement("", "drop table installations cascade"), []);
  const answer = await fetch(fixture.host.url);
  expect([answer.status, await answer.json()]).toEqual([500, { message: "The host failed; its log says why." }]);
  await fixture.close();
});
