import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { messengerConversations, type User, type Visitor, type VisitorSession } from "@parley/contract";
import { outcome } from "../../../console/console-harness.ts";
import { newBrowserKey, signedHarness, tokenOf, TOKEN_SECONDS } from "./signing-fixture.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const s = fileFixture(signedHarness);
// So that the limit of new sessions is not reached.
beforeEach(() => s.advance(3_600));

let persons = 0;
const newReference = () => `person ${++persons}`;
const usersOf = async (reference_id: string): Promise<readonly User[]> =>
  (await s.client.users.listUsers({ query: { reference_id } })).users;
const getUser = (user_id: string) => s.client.users.getUser({ params: { user_id } });
const own = (token: string) => s.request<Visitor>("GET", "/visitor", { token });
const isEnded = async (token: string) => (await own(token)).code === 401;
const write = async (token: string, content: string) => {
  const { code } = await s.request("POST", "/conversations", {
    token,
    body: { topic_id: s.channels[0]?.id, message: { message_parts: [{ text: { content } }] } },
  });
  expect(code).toBe(messengerConversations.beginMessengerConversation.reply.code);
};
const conversationsOf = async (token: string) =>
  (await s.request<{ conversations: readonly unknown[] }>("GET", "/conversations", { token })).body.conversations
    .length;
const restore = (external_id: string, restore_id: string) =>
  s.request<VisitorSession>("POST", "/sessions/restore", { body: { account: "acme", external_id, restore_id } });

test("POST /messenger/api/browser-uuid 200: the same secret of a browser has the same UUID of version 8, another secret has another", async () => {
  const [first, second] = [newBrowserKey(), newBrowserKey()];
  const uuid = await s.uuidOf(first);
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await s.uuidOf(first)).toBe(uuid);
  expect(await s.uuidOf(second)).not.toBe(uuid);
});

describe("POST /messenger/api/sessions/signed 201:", () => {
  test("a new person becomes a user with the claims, whom the site has signed", async () => {
    const reference_id = newReference();
    const claims = { first_name: "Ada", last_name: "Lovelace", email: "ada@shop.example", phone_number: "+441" };
    const { visitor, signed_until } = await s.signVisitor({ reference_id, ...claims });
    const { phone_number: phone, ...rest } = claims;
    expect(visitor).toMatchObject({ external_id: reference_id, ...rest, phone, is_name_generated: false });
    expect(await usersOf(reference_id)).toMatchObject([{ id: visitor.user_id, login_status: true, ...rest, phone }]);
    expect(Date.parse(signed_until ?? "") / 1_000 - s.seconds()).toBeGreaterThan(TOKEN_SECONDS - 60);
  });

  test("on another device the person has the same conversations, without a restore_id", async () => {
    const reference_id = newReference();
    const first = await s.signVisitor({ reference_id });
    await write(first.token, "From the phone");
    const second = await s.signVisitor({ reference_id });
    expect(second.visitor.user_id).toBe(first.visitor.user_id);
    expect(await conversationsOf(second.token)).toBe(1);
    expect(await isEnded(first.token)).toBe(false);
  });

  test("the claims overwrite the profile, and leave out what they don't name", async () => {
    const reference_id = newReference();
    const { visitor } = await s.signVisitor({ reference_id, first_name: "Ada", email: "old@shop.example" });
    await s.signVisitor({ reference_id, email: "new@shop.example", first_name: null });
    expect(await getUser(visitor.user_id)).toMatchObject({ first_name: "Ada", email: "new@shop.example" });
  });

  test("a user whom the API created with the reference_id is the person", async () => {
    const reference_id = newReference();
    const { id, restore_id } = await s.client.users.createUser({ body: { first_name: "Api", reference_id } });
    const [signed, later] = [await s.signVisitor({ reference_id }), await s.signVisitor({ reference_id })];
    expect(signed.visitor).toMatchObject({ user_id: id, first_name: "Api" });
    expect(await getUser(id)).toMatchObject({ login_status: true, restore_id: signed.visitor.restore_id });
    expect([restore_id === signed.visitor.restore_id, later.visitor.restore_id]).toEqual([
      false,
      signed.visitor.restore_id,
    ]);
  });

  test("a user of the API whose properties a page has set is still the person", async () => {
    const reference_id = newReference();
    const { id, restore_id = "" } = await s.client.users.createUser({ body: { first_name: "Api", reference_id } });
    const { body } = await restore(reference_id, restore_id);
    await s.request("PUT", "/visitor", { token: body.token, body: { properties: [{ name: "plan", value: "gold" }] } });
    expect((await s.signVisitor({ reference_id })).visitor.user_id).toBe(id);
  });

  test("an anonymous visitor who signs in keeps the conversation, in a new session", async () => {
    const reference_id = newReference();
    const { token, visitor } = await s.visitor();
    await write(token, "Before I signed in");
    const signed = await s.signVisitor({ reference_id }, { session_token: token });
    expect(signed.visitor).toMatchObject({ user_id: visitor.user_id, external_id: reference_id });
    expect(await conversationsOf(signed.token)).toBe(1);
    expect(signed.token).not.toBe(token);
    expect(await isEnded(token)).toBe(true);
  });

  test("an anonymous visitor who signs in as a known person changes to that user, and the anonymous session ends", async () => {
    const reference_id = newReference();
    const known = await s.signVisitor({ reference_id });
    const { token, visitor } = await s.visitor();
    await write(token, "Before I signed in");
    const signed = await s.signVisitor({ reference_id }, { session_token: token });
    expect(signed.visitor.user_id).toBe(known.visitor.user_id);
    expect(await isEnded(token)).toBe(true);
    expect((await getUser(visitor.user_id)).reference_id).toBeUndefined();
  });

  test("a visitor whom the site identified without a signature keeps the conversations when the site begins to sign", async () => {
    const reference_id = newReference();
    const { token, visitor } = await s.visitor({ external_id: reference_id });
    await write(token, "Before the site signed");
    const signed = await s.signVisitor({ reference_id }, { session_token: token });
    expect(signed.visitor.user_id).toBe(visitor.user_id);
    expect((await s.signVisitor({ reference_id })).visitor.user_id).toBe(visitor.user_id);
  });

  test("the session of the same person goes on with a later token", async () => {
    const reference_id = newReference();
    const { browser_key, token, expires_time, signed_until = "" } = await s.signVisitor({ reference_id });
    s.advance(60);
    const next = await s.signVisitor({ reference_id }, { browser_key, session_token: token });
    expect(next).toMatchObject({ token, expires_time });
    expect(Date.parse(next.signed_until ?? "")).toBeGreaterThan(Date.parse(signed_until));
  });

  test("a session that a restore_id began is replaced, since the secret of a session without a signature may be known to others", async () => {
    const reference_id = newReference();
    const { visitor } = await s.signVisitor({ reference_id });
    const { token: session_token } = (await restore(reference_id, visitor.restore_id)).body;
    const signed = await s.signVisitor({ reference_id }, { session_token });
    expect(signed.visitor.user_id).toBe(visitor.user_id);
    expect([signed.token === session_token, await isEnded(session_token)]).toEqual([false, true]);
  });

  test("the next person on the same browser has a session of its own, and the former session ends", async () => {
    const ada = await s.signVisitor({ reference_id: newReference(), first_name: "Ada" });
    await write(ada.token, "A secret of Ada");
    const { browser_key, token } = ada;
    const bob = await s.signVisitor({ reference_id: newReference() }, { browser_key, session_token: token });
    expect(bob.visitor.user_id).not.toBe(ada.visitor.user_id);
    expect(await conversationsOf(bob.token)).toBe(0);
    expect(await isEnded(token)).toBe(true);
  });

  test("a token without a reference_id continues the anonymous visitor, and gives no external id", async () => {
    const { token, visitor } = await s.visitor();
    const signed = await s.signVisitor({ first_name: "Ada" }, { session_token: token });
    expect(signed.visitor).toMatchObject({ user_id: visitor.user_id, first_name: "Ada" });
    expect(await getUser(visitor.user_id)).toMatchObject({ login_status: false });
    expect([signed.token === token, await isEnded(token)]).toEqual([false, true]);
    const alone = await s.signVisitor({});
    expect(alone.visitor).toMatchObject({ is_name_generated: true });
  });

  test("a token without a reference_id ends the session of a person", async () => {
    const { browser_key, token, visitor } = await s.signVisitor({ reference_id: newReference() });
    const next = await s.signVisitor({}, { browser_key, session_token: token });
    expect(next.visitor.user_id).not.toBe(visitor.user_id);
    expect(await isEnded(token)).toBe(true);
  });

  test("the id of the user of the session that is sent is as good as the UUID of the browser", async () => {
    const { token, visitor } = await s.visitor();
    const claims = { reference_id: newReference(), freshchat_uuid: visitor.user_id };
    const signed = await s.signVisitor(claims, { session_token: token });
    expect(signed.visitor.user_id).toBe(visitor.user_id);
    const body = tokenOf(await s.claimsFor(newBrowserKey(), claims), s.secret);
    expect(outcome(await s.begin(body, {}))).toBe("401 SIGNED_TOKEN_REFUSED");
    const { token: foreign } = await s.visitor();
    expect(outcome(await s.begin(body, { session_token: foreign }))).toBe("401 SIGNED_TOKEN_REFUSED");
  });

  test("of two browsers that sign a new person at the same moment, both are one user", async () => {
    for (let round = 0; round < 5; round += 1) {
      const reference_id = newReference();
      const sessions = await Promise.all(Array.from({ length: 6 }, () => s.signVisitor({ reference_id })));
      expect(new Set(sessions.map(({ visitor }) => visitor.user_id)).size).toBe(1);
      expect(await usersOf(reference_id)).toHaveLength(1);
    }
  });
});

describe("a stolen token", () => {
  test("is of no use in another browser, while it is in its own", async () => {
    const browser_key = newBrowserKey();
    const stolen = tokenOf(await s.claimsFor(browser_key, { reference_id: newReference() }), s.secret);
    expect(outcome(await s.begin(stolen, { browser_key: newBrowserKey() }))).toBe("401 SIGNED_TOKEN_REFUSED");
    expect(outcome(await s.begin(stolen, { browser_key }))).toBe("201");
  });

  test("without a UUID is of use in every browser for ten minutes: the attack that the UUID prevents", async () => {
    const claims = { reference_id: newReference(), freshchat_uuid: undefined };
    const stolen = tokenOf(await s.claimsFor(newBrowserKey(), claims), s.secret);
    expect(outcome(await s.begin(stolen, {}))).toBe("201");
    s.advance(540);
    expect(outcome(await s.begin(stolen, {}))).toBe("201");
    s.advance(180);
    expect(outcome(await s.begin(stolen, {}))).toBe("401 SIGNED_TOKEN_REFUSED");
  });
});

describe("a visitor who gives the external id of a person without a signature", () => {
  test("before the person first signs in, is not that person, and reads nothing of it afterwards", async () => {
    const reference_id = newReference();
    const mallory = await s.visitor({ external_id: reference_id });
    const { token, visitor } = await s.signVisitor({ reference_id });
    expect(visitor.user_id).not.toBe(mallory.visitor.user_id);
    await write(token, "A secret of the person");
    expect(await conversationsOf(mallory.token)).toBe(0);
  });

  test("in a browser that the person uses next, keeps no session and no restore_id of it", async () => {
    const reference_id = newReference();
    const mallory = await s.visitor({ external_id: reference_id });
    const copy = await restore(reference_id, mallory.visitor.restore_id);
    const { token, visitor } = await s.signVisitor({ reference_id }, { session_token: mallory.token });
    expect(visitor.user_id).toBe(mallory.visitor.user_id);
    await write(token, "A secret of the person");
    expect([await isEnded(mallory.token), await isEnded(copy.body.token)]).toEqual([true, true]);
    expect(outcome(await restore(reference_id, mallory.visitor.restore_id))).toBe("403 RESTORE_REFUSED");
    expect(outcome(await restore(reference_id, visitor.restore_id))).toBe("201");
    const [{ changes = "" } = {}] = await s.sql<{ changes?: string }>(
      "select string_agg(changes, ' ') as changes from outbox where entity_id = $1",
      [visitor.user_id],
    );
    expect([changes.includes("login_status"), changes.includes("restore_id")]).toEqual([true, false]);
  });

  test("with a token that signs no external id, does not become the person", async () => {
    const reference_id = newReference();
    const anonymous = await s.signVisitor({});
    const identify = (token: string) =>
      s.request("POST", "/visitor/identity", { token, body: { external_id: reference_id } });
    expect((await identify(anonymous.token)).body).toMatchObject({ identification: "kept" });
    const { visitor } = await s.signVisitor({ reference_id });
    expect(visitor.user_id).not.toBe(anonymous.visitor.user_id);
    const planted = await s.visitor({ external_id: newReference() });
    const claims = { freshchat_uuid: planted.visitor.user_id };
    const next = await s.signVisitor(claims, { session_token: planted.token });
    expect(next.visitor.user_id).not.toBe(planted.visitor.user_id);
  });

  test("after the person has signed in, is another user", async () => {
    const reference_id = newReference();
    const { visitor } = await s.signVisitor({ reference_id });
    const mallory = await s.visitor();
    const body = { external_id: reference_id };
    const { body: reply } = await s.request("POST", "/visitor/identity", { token: mallory.token, body });
    expect(reply).toEqual({ identification: "separate" });
    const second = await s.visitor(body);
    expect(second.visitor.user_id).not.toBe(visitor.user_id);
    expect((await s.signVisitor({ reference_id })).visitor.user_id).toBe(visitor.user_id);
  });
});

test("PUT /messenger/api/visitor 200: a page does not change what the site has signed, but properties", async () => {
  const email = "ada@shop.example";
  const { token, visitor } = await s.signVisitor({ reference_id: newReference(), first_name: "Ada", email });
  const properties = [{ name: "plan", value: "gold" }];
  const body = { first_name: "Director", email: "director@shop.example", phone: "+49", properties };
  const { code, body: reply } = await s.request<Visitor>("PUT", "/visitor", { token, body });
  expect([code, reply]).toEqual([200, expect.objectContaining({ first_name: "Ada", email, properties })]);
  const user = await getUser(visitor.user_id);
  expect(user).toMatchObject({ first_name: "Ada", email });
  expect(user.phone).toBeUndefined();
});

test("POST /messenger/api/sessions/signed 403 VISITOR_BLOCKED: a person whom an agent has blocked", async () => {
  const reference_id = newReference();
  const { token, visitor } = await s.signVisitor({ reference_id });
  await write(token, "Spam");
  const session = await s.signIn("olivia@acme.example");
  const { code } = await s.call({ session }, "POST", `/customers/${visitor.user_id}/block`);
  expect(code).toBe(200);
  const signed = async () =>
    s.begin(tokenOf(await s.claimsFor(browser_key, { reference_id }), s.secret), { browser_key });
  const browser_key = newBrowserKey();
  expect(outcome(await signed())).toBe("403 VISITOR_BLOCKED");
});

describe("POST /messenger/api/sessions/signed refuses a page before the token is looked at:", () => {
  beforeAll(async () => {
    const document = { name: "solo", messenger: { origins: ["https://shop.example"] } };
    const { code } = await s.adminRequest("PUT", "/admin/accounts/solo", document);
    expect(code).toBe(200);
  });
  test.each([
    ["POST /messenger/api/sessions/signed 404 MESSENGER_NOT_FOUND", { account: "unknown" }],
    ["POST /messenger/api/sessions/signed 403 ORIGIN_NOT_ALLOWED", { account: "solo", origin: "https://evil.example" }],
    ["POST /messenger/api/sessions/signed 401 NO_SIGNING_KEY", { account: "solo", origin: "https://shop.example" }],
  ])("%s", async (title, page) => {
    const body = { signed_token: "a.b.c", browser_key: newBrowserKey(), ...page };
    expect(title).toContain(outcome(await s.request("POST", "/sessions/signed", { body })));
  });
});
