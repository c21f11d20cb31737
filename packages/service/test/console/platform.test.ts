import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { DELEGATION_HEADER, delegatedRequestText, SESSION_TOKEN, type Delegation } from "@parley/contract";
import { verifyWebhook, webhookSecret } from "@parley/egress";
import { ADMIN_KEY } from "../operations/administration/endpoints/admin-harness.ts";
import {
  sessionHarness,
  type BrowserSession,
  type SessionHarness,
} from "../identity/authentication/session-harness.ts";

/** Requests of admins that the service passes on to the platform of apps. */

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const INSTALLED = { id: "1", name: "greeter", version: "1", account: "acme", state: "active" };
const received: ReceivedRequest[] = [];
let answer: { readonly status: number; readonly body: unknown } | "silent";
let platform: Server;
let w: SessionHarness;
let admin: BrowserSession;

beforeAll(async () => {
  platform = createServer((request, reply) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, headers, body });
      if (answer === "silent") return void request.socket.destroy();
      reply.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => platform.listen(0, "127.0.0.1", resolve));
  const platformUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  w = await sessionHarness({ config: { events: { platformUrl } } });
  admin = await w.signIn("noah@acme.example");
});
beforeEach(() => {
  received.splice(0);
  answer = { status: 200, body: INSTALLED };
});
afterAll(async () => {
  await w.close();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});

const APP = "/platform/accounts/acme/apps/greeter";
const upgrade = (more: Parameters<SessionHarness["page"]>[2] = {}) =>
  w.page("POST", `${APP}/upgrade`, { session: admin, body: { version: "2" }, ...more });
const delegationOf = ({ headers }: ReceivedRequest): Delegation =>
  JSON.parse(Buffer.from(String(headers[DELEGATION_HEADER]), "base64url").toString()) as Delegation;

test("an admin's request is passed on with its body, signed for its method, path, body and agent", async () => {
  expect(await upgrade()).toMatchObject({ code: 200, body: INSTALLED });
  const [request] = received;
  if (!request) throw new Error("Nothing was passed on.");
  expect([request.method, request.url, request.body]).toEqual(["POST", `${APP}/upgrade`, '{"version":"2"}']);
  const delegation = String(request.headers[DELEGATION_HEADER]);
  const signature = {
    headers: request.headers,
    body: delegatedRequestText({ method: "POST", target: `${APP}/upgrade`, delegation }),
    nowSeconds: Math.floor(Date.now() / 1_000),
  };
  expect(verifyWebhook({ ...signature, secret: webhookSecret(Buffer.from(ADMIN_KEY)) })).toBe(true);
  expect(verifyWebhook({ ...signature, secret: webhookSecret(Buffer.from("another")) })).toBe(false);
  const { agent, address, body_digest } = delegationOf(request);
  expect(agent).toMatchObject({ account: "acme", email: "noah@acme.example", role: "ADMIN", role_id: "ADMIN" });
  expect(address).toBe("127.0.0.1");
  expect(body_digest).toBe(createHash("sha256").update(request.body).digest("base64url"));
});

test("parts of a path are encoded, and queries are passed on in the signed target", async () => {
  answer = { status: 200, body: { invocations: [] } };
  const path = "/platform/accounts/acme/apps/a%2Fb%3F%26/invocations?event=onMessageCreate&result=failed";
  expect((await w.page("GET", path, { session: admin })).code).toBe(200);
  expect(received.map(({ url }) => url)).toEqual([path]);
});

test("no other header of the browser reaches the platform", async () => {
  const secret = "canary-of-the-browser";
  await upgrade({ headers: { "x-canary": secret, "x-forwarded-for": secret, [DELEGATION_HEADER]: secret } });
  const text = JSON.stringify(received[0]?.headers);
  for (const each of [secret, admin.cookie ?? "", admin.token ?? "", ADMIN_KEY]) expect(text).not.toContain(each);
  expect(Object.keys(received[0]?.headers ?? {})).not.toContain(SESSION_TOKEN.toLowerCase());
});

describe("nothing is passed on", () => {
  test("for an admin of another account", async () => {
    const path = "/platform/accounts/solo/apps/greeter/upgrade";
    expect(await w.page("POST", path, { session: admin, body: {} })).toMatchObject({ code: 403 });
    expect(received).toEqual([]);
  });
  test.each(["maya@acme.example", "diego@acme.example"])("for %s, whose role is below ADMIN", async (email) => {
    const session = await w.signIn(email);
    expect(await upgrade({ session })).toMatchObject({ code: 403, body: { status: "FORBIDDEN" } });
    expect(received).toEqual([]);
  });
  test("without the session's token, or from a page of another origin", async () => {
    expect((await upgrade({ session: { cookie: admin.cookie } })).code).toBe(401);
    expect((await upgrade({ origin: "http://greeter--acme.apps.localhost:10001" })).code).toBe(403);
    expect((await upgrade({ origin: "" })).code).toBe(403);
    expect(received).toEqual([]);
  });
  test("for an access token and for the admin key", async () => {
    expect((await w.raw("GET", "/platform/accounts/acme/apps")).status).toBe(403);
    expect((await w.adminRequest("GET", "/platform/accounts/acme/apps")).code).toBe(401);
    expect(received).toEqual([]);
  });
  test("for rows that admit the admin key only", async () => {
    for (const path of ["/platform/apps", "/platform/accounts/acme/places"])
      expect((await w.page("GET", path, { session: admin })).code).toBe(404);
    expect(received).toEqual([]);
  });
  test("for a body of more than 512 KiB, which the platform refuses", async () => {
    const payload = { data: "x".repeat(512 * 1_024) };
    const path = `${APP}/events`;
    expect(await w.page("POST", path, { session: admin, body: { event: "onMessageCreate", payload } })).toMatchObject({
      code: 413,
      body: { status: "PAYLOAD_TOO_LARGE" },
    });
    expect(received).toEqual([]);
  });
  test("for a body that the row of the contract refuses", async () => {
    expect((await upgrade({ body: { version: 2 } })).code).toBe(400);
    expect(received).toEqual([]);
  });
});

describe("answers of the platform", () => {
  test.each([
    [409, "NO_PREVIOUS_VERSION", "There is no upgrade to roll back."],
    [422, "APP_REFUSED", "Not this greeting."],
    [403, "FORBIDDEN", "This needs an admin of the account."],
  ])("%i %s keeps its code, its token and its message", async (code, status, message) => {
    answer = { status: code, body: { code, status, message } };
    expect(await upgrade()).toMatchObject({ code, body: { status, message } });
  });
  test("a refused signature does not end the agent's session", async () => {
    answer = { status: 401, body: { code: 401, status: "UNAUTHENTICATED", message: "The signature is wrong." } };
    expect(await upgrade()).toMatchObject({
      code: 503,
      body: { status: "SERVICE_UNAVAILABLE", message: expect.stringContaining("PARLEY_ADMIN_KEY") },
    });
  });
  test.each([
    ["another form", { status: 200, body: { name: 1 } }],
    ["another code", { status: 204, body: {} }],
    ["a page", { status: 502, body: "<html>" }],
  ])("%s is an error of the service", async (_title, given) => {
    answer = given;
    expect(await upgrade()).toMatchObject({ code: 500, body: { message: expect.stringContaining("unexpected form") } });
  });
  test("a lost connection answers 503 and says what to do", async () => {
    answer = "silent";
    expect(await upgrade()).toMatchObject({
      code: 503,
      body: { status: "SERVICE_UNAVAILABLE", message: expect.stringContaining("npx parley serve") },
    });
  });
});

test("where no platform runs, the service answers 503 and says what to do", async () => {
  const other = await sessionHarness();
  const session = await other.signIn("noah@acme.example");
  const reply = await other.page("GET", "/platform/accounts/acme/apps", { session });
  expect(reply).toMatchObject({
    code: 503,
    body: { status: "SERVICE_UNAVAILABLE", message: expect.stringContaining("npx parley serve") },
  });
  expect(reply.headers.get("retry-after")).toBe("1");
  await other.close();
});
