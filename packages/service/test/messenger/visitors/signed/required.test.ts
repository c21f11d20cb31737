import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { messengerApi, problemsOf, rowsOf, SIGNED_IDENTITY_REQUIRED, type VisitorSession } from "@parley/contract";
import { STREAM_RULES } from "../../../../src/events/stream/stream-rules.ts";
import { outcome, UNKNOWN_ID } from "../../../console/console-harness.ts";
import { visitorStreams } from "../../live/live-fixture.ts";
import { newBrowserKey, signedHarness, tokenOf } from "./signing-fixture.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const s = fileFixture(() => signedHarness({ streamRules: { ...STREAM_RULES, checkMs: 20 } }));
beforeEach(() => s.putRules({ is_required: false }));
const { open: openStream, closeAll: closeStreams } = visitorStreams();
afterEach(() => closeStreams());

const NEEDED = "403 SIGNED_IDENTITY_REQUIRED";
const required = () => s.putRules({ is_required: true });

/** The endpoints of visitors' sessions, and those that begin one without a signature. */
const ROWS = rowsOf(messengerApi).map(({ row }) => row);
const GUARDED = ROWS.filter((row) => problemsOf(row).includes(SIGNED_IDENTITY_REQUIRED)).map((row) => row.route);
/**
 * Sends a request whose query is not URL encoded. It is refused after the caller was admitted, so that each endpoint can be asked without a
 * change.
 */
const ask = async (route: string, token: string): Promise<string> => {
  const [method = "", path = ""] = route.split(" ");
  const place = path.replace("/messenger/api", "").replace(/\{\w+\}/g, UNKNOWN_ID);
  return outcome(await s.request(method, `${place}?x=%zz`, { token }));
};

test("every endpoint that a visitor's session can call needs the signature, except for the end of the session", () => {
  const ofVisitors = ROWS.filter(({ access }) => access.visitor !== undefined).map(({ route }) => route);
  expect(GUARDED).toEqual(
    expect.arrayContaining(ofVisitors.filter((route) => route !== "DELETE /messenger/api/session")),
  );
  const others = GUARDED.filter((route) => !ofVisitors.includes(route));
  expect(others).toEqual(["POST /messenger/api/sessions", "POST /messenger/api/sessions/restore"]);
});

describe("while the account requires signed identities, SIGNED_IDENTITY_REQUIRED:", () => {
  const OF_SESSIONS = ROWS.filter(({ access }) => access.visitor !== undefined).map(({ route }) => route);
  test.each(OF_SESSIONS.filter((route) => route !== "DELETE /messenger/api/session"))("%s", async (route) => {
    const { token } = await s.visitor();
    const signed = await s.signVisitor({ reference_id: "r-1" });
    const admitted = route.includes("{") ? "404 CONVERSATION_NOT_FOUND" : "400 INVALID_VALUE";
    expect(await ask(route, token)).toBe(admitted);
    await required();
    expect([await ask(route, token), await ask(route, signed.token)]).toEqual([NEEDED, admitted]);
  });

  test.each([
    ["POST /messenger/api/sessions 403 SIGNED_IDENTITY_REQUIRED", "/sessions", {}],
    [
      "POST /messenger/api/sessions/restore 403 SIGNED_IDENTITY_REQUIRED, also with the right restore_id",
      "/sessions/restore",
      { external_id: "r-2" },
    ],
  ])("%s", async (_, path, more) => {
    const { visitor } = await s.visitor({ external_id: "r-2" });
    const body = { account: "acme", ...more, ...("external_id" in more && { restore_id: visitor.restore_id }) };
    expect(outcome(await s.request("POST", path, { body }))).toBe("201");
    await required();
    expect(outcome(await s.request("POST", path, { body }))).toBe(NEEDED);
  });
});

test("a session without a signature can still be ended", async () => {
  const { token } = await s.visitor();
  await required();
  expect(outcome(await s.request("DELETE", "/session", { token }))).toBe("204");
  await s.putRules({ is_required: false });
  expect(outcome(await s.request("GET", "/visitor", { token }))).toBe("401 UNAUTHENTICATED");
});

test("a session is admitted until its signature is over, and after the next signature at once", async () => {
  await required();
  const signed = await s.signVisitor({ reference_id: "r-3", exp: s.seconds() + 120 });
  const get = async () => outcome(await s.request("GET", "/visitor", { token: signed.token }));
  expect(await get()).toBe("200");
  s.advance(121);
  expect(await get()).toBe(NEEDED);
  const { browser_key, token: session_token } = signed;
  expect((await s.signVisitor({ reference_id: "r-3" }, { browser_key, session_token })).token).toBe(session_token);
  expect(await get()).toBe("200");
});

test("another process, which knows the session from before, admits it at once after the next signature", async () => {
  const second = await s.another();
  await required();
  const signed = await s.signVisitor({ reference_id: "r-4", exp: s.seconds() + 120 });
  const { browser_key, token: session_token } = signed;
  const elsewhere = async () =>
    (await fetch(`${second.url}/messenger/api/visitor`, { headers: { authorization: `Bearer ${signed.token}` } }))
      .status;
  expect(await elsewhere()).toBe(200);
  s.advance(121);
  expect(await elsewhere()).toBe(403);
  await s.signVisitor({ reference_id: "r-4" }, { browser_key, session_token });
  expect(await elsewhere()).toBe(200);
  await second.close();
});

test("a stream ends when signed identities become required, a signed one when its signature is over", async () => {
  const { token } = await s.visitor();
  const unsigned = await openStream(s.url, token);
  const signed = await s.signVisitor({ reference_id: "r-5", exp: s.seconds() + 120 });
  const stream = await openStream(s.url, signed.token);
  await required();
  await unsigned.ended;
  const write = () =>
    s.request("POST", "/conversations", {
      token: signed.token,
      body: { topic_id: s.channels[0]?.id, message: { message_parts: [{ text: { content: "Still here" } }] } },
    });
  await write();
  await stream.until(() => stream.texts.includes("Still here"));
  s.advance(121);
  await stream.ended;
});

test("the configuration states the rules, which every process applies within a second", async () => {
  const policy = async () => {
    const { body } = await s.request<{ signed_identity: unknown }>("GET", "/configuration?account=acme");
    return body.signed_identity;
  };
  expect(await policy()).toEqual({ has_key: true, is_required: false, is_hidden_until_signed: false });
  await s.putRules({ is_required: true, is_hidden_until_signed: true });
  expect(await policy()).toEqual({ has_key: true, is_required: true, is_hidden_until_signed: true });
});

test("a key that is removed ends the sessions that it signed last, and no others", async () => {
  const own = "a secret that the site brought from elsewhere";
  const { signing_key } = await s.addKey({ name: "Old", algorithm: "HS256", secret: own });
  const begin = async (key: string, session?: VisitorSession, browser_key = newBrowserKey()) => {
    const token = tokenOf(await s.claimsFor(browser_key, { reference_id: "r-6" }), key);
    return { browser_key, ...(await s.begin(token, { browser_key, session_token: session?.token })).body };
  };
  const [left, renewed, other] = [await begin(own), await begin(own), await begin(s.secret)];
  expect((await begin(s.secret, renewed, renewed.browser_key)).token).toBe(renewed.token);
  expect(await s.removeKey(signing_key.id)).toBe(200);
  s.expireCaches();
  const codes = [left, renewed, other].map(async ({ token }) => (await s.request("GET", "/visitor", { token })).code);
  expect(await Promise.all(codes)).toEqual([401, 200, 200]);
});

test("no request of these tests was answered with an internal error", () => {
  expect(s.logLines).toEqual([]);
});
