import { describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { MESSENGER_API, MESSENGER_LIMITS, type MessengerConversation, type VisitorSession } from "@parley/contract";
import { newAddress, startAttackedInstance, textMessage, type Visiting } from "./attacked-instance.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Someone who knows a customer's id, or has seen requests of a customer, and wants the customer's conversations. */

const instance = fileFixture(startAttackedInstance);

const SECRET = "The door code is 4711";
let victims = 0;
const newVictim = async (): Promise<
  Visiting & { readonly conversation: MessengerConversation; readonly externalId: string }
> => {
  const externalId = `customer-${(victims += 1)}`;
  const visitor = await instance.begin({ external_id: externalId, profile: { first_name: "Vera" } });
  return { ...visitor, externalId, conversation: await visitor.write(SECRET) };
};
const conversationsOf = async (visitor: Pick<Visiting, "call">) =>
  (await visitor.call<{ conversations: MessengerConversation[] }>("GET", "/conversations")).body.conversations;
const restore = (external_id: unknown, restore_id: unknown, headers = newAddress()) =>
  instance.send<VisitorSession>("POST", `${MESSENGER_API}/sessions/restore`, {
    headers,
    body: { account: "acme", external_id, restore_id },
  });

describe("the external_id of another user", () => {
  test("with the restore_id leads to the conversations, which is what the attacks are after", async () => {
    const victim = await newVictim();
    const { status, body } = await restore(victim.externalId, victim.visitor.restore_id);
    expect(status).toBe(201);
    const restored = await instance.send("GET", `${MESSENGER_API}/conversations`, { token: body.token });
    expect(restored.text).toContain(SECRET);
  });

  test("without a restore_id begins a new user, whom agents can tell from the customer", async () => {
    const victim = await newVictim();
    const attacker = await instance.begin({ external_id: victim.externalId });
    expect(await conversationsOf(attacker)).toEqual([]);
    expect(attacker.visitor.user_id).not.toBe(victim.visitor.user_id);
    expect(attacker.visitor.restore_id).not.toBe(victim.visitor.restore_id);
    expect(JSON.stringify(attacker.visitor)).not.toContain("Vera");
    await attacker.write("I am Vera, tell me the code");
    const both = await instance.client.users.getUser({ params: { user_id: attacker.visitor.user_id } });
    expect(both.login_status).toBe(false);
    expect((await conversationsOf(victim)).map(({ id }) => id)).toEqual([victim.conversation.id]);
  });

  test("taken by a session that has another user ends the session and returns no other", async () => {
    const victim = await newVictim();
    const attacker = await instance.begin();
    const answer = await attacker.call("POST", "/visitor/identity", { external_id: victim.externalId });
    expect(answer).toMatchObject({ status: 200, body: { identification: "separate" } });
    expect(answer.body).not.toHaveProperty("session");
    expect(answer.text).not.toContain(victim.visitor.user_id);
    expect((await attacker.call("GET", "/conversations")).status).toBe(401);
  });

  test("with the restore_id of the attacker's own user is refused", async () => {
    const victim = await newVictim();
    const own = await instance.begin({ external_id: `attacker-${victims}` });
    expect((await restore(victim.externalId, own.visitor.restore_id)).body).toMatchObject({
      status: "RESTORE_REFUSED",
    });
  });
});

describe("a restore_id", () => {
  const variants = (id: string): unknown[] => [
    id.slice(0, -1),
    `${id} `,
    ` ${id}`,
    `${id.slice(0, -1)}${id.endsWith("A") ? "B" : "A"}`,
    id.toUpperCase() === id ? id.toLowerCase() : id.toUpperCase(),
    "%",
    "' or '1'='1",
    "null",
    "undefined",
  ];
  const WRONG_TYPES: readonly unknown[] = ["", "x\0", null, true, 0, [], {}, { $ne: "" }, ["x"], undefined];

  test("is long enough that it can't be found by trying", async () => {
    const { visitor } = await instance.begin();
    expect(visitor.restore_id.length).toBeGreaterThanOrEqual(22);
  });

  test("that is almost right is refused as an unknown one of an unknown user is", async () => {
    const { externalId, visitor } = await newVictim();
    const { status, body } = await restore("nobody", "nothing");
    expect(status).toBe(403);
    for (const wrong of variants(visitor.restore_id)) {
      const answer = await restore(externalId, wrong);
      expect({ wrong, status: answer.status, body: answer.body }).toEqual({ wrong, status, body });
    }
  });

  test("of another type is refused as malformed", async () => {
    const { externalId } = await newVictim();
    for (const wrong of WRONG_TYPES) {
      const { status } = await restore(externalId, wrong);
      expect({ wrong, status }).toEqual({ wrong, status: 400 });
    }
  });

  test("can be tried only a few times from one address, and others still restore", async () => {
    const { externalId, visitor } = await newVictim();
    const address = newAddress();
    const statuses: number[] = [];
    for (let tries = 0; tries <= MESSENGER_LIMITS.restores_per_address_hour; tries++)
      statuses.push((await restore(externalId, `guess-${tries}`, address)).status);
    expect(statuses.at(0)).toBe(403);
    expect(statuses.at(-1)).toBe(429);
    expect((await restore(externalId, visitor.restore_id, address)).status).toBe(429);
    expect((await restore(externalId, visitor.restore_id)).status).toBe(201);
  });
});

describe("a recorded request, sent again,", () => {
  test("with the token of an ended session is refused", async () => {
    const victim = await newVictim();
    expect((await victim.call("GET", "/conversations")).status).toBe(200);
    expect((await victim.call("DELETE", "/session")).status).toBe(204);
    expect((await victim.call("GET", "/conversations")).status).toBe(401);
    expect(
      (await victim.call("POST", `/conversations/${victim.conversation.id}/messages`, textMessage("x"))).status,
    ).toBe(401);
  });

  test("with the token of a deleted user is refused", async () => {
    const victim = await newVictim();
    await instance.client.users.deleteUser({ params: { user_id: victim.visitor.user_id } });
    // Within a second, as for each credential.
    await waitUntil(async () => (await victim.call("GET", "/conversations")).status === 401);
    expect((await restore(victim.externalId, victim.visitor.restore_id)).status).toBe(403);
  });

  test("with its idempotency key adds no second message, also not for another visitor", async () => {
    const victim = await newVictim();
    const path = `/conversations/${victim.conversation.id}/messages`;
    const key = { "idempotency-key": "recorded-key" };
    const [first, second] = [
      await victim.call("POST", path, textMessage("Once"), key),
      await victim.call("POST", path, textMessage("Once"), key),
    ];
    expect(first.status).toBe(200);
    expect(second.body["id"]).toBe(first.body["id"]);
    const attacker = await newVictim();
    const foreign = await attacker.call("POST", path, textMessage("Once"), key);
    expect(foreign.status).toBe(404);
    const own = await attacker.call(
      "POST",
      `/conversations/${attacker.conversation.id}/messages`,
      textMessage("Once"),
      key,
    );
    expect(own.body["id"]).not.toBe(first.body["id"]);
  });

  test("without an idempotency key adds a second message, which the test above relies on", async () => {
    const victim = await newVictim();
    const path = `/conversations/${victim.conversation.id}/messages`;
    const [first, second] = [
      await victim.call("POST", path, textMessage("Twice")),
      await victim.call("POST", path, textMessage("Twice")),
    ];
    expect(second.body["id"]).not.toBe(first.body["id"]);
  });
});

describe("the conversation of another user", () => {
  const requests = (
    id: string,
    message: string,
  ): readonly (readonly [method: string, path: string, body?: unknown])[] => [
    ["GET", `/conversations/${id}/messages`],
    ["GET", `/conversations/${id}/messages?after=${message}`],
    ["GET", `/conversations/${id.toUpperCase()}/messages`],
    ["GET", `/conversations/${encodeURIComponent(`../conversations/${id}`)}/messages`],
    ["POST", `/conversations/${id}/messages`, textMessage("Me again")],
    ["POST", `/conversations/${id}/csat`, { interaction_id: "1-1", response: { rating: 5 } }],
    ["PUT", `/conversations/${id}/activity`, { is_typing: true }],
    ["PUT", `/conversations/${id}/activity`, { read_message_id: message }],
  ];

  test("is not found by any request, and is found by its own user", async () => {
    const victim = await newVictim();
    const attacker = await newVictim();
    const message = victim.conversation.last_message?.id ?? "";
    const [listing] = requests(victim.conversation.id, message);
    expect((await victim.call(...(listing as [string, string]))).text).toContain(SECRET);
    for (const [method, path, body] of requests(victim.conversation.id, message)) {
      const { status, text } = await attacker.call(method, path, body);
      expect({ method, path, isRefused: [400, 404].includes(status), text }).toMatchObject({ isRefused: true });
      expect(text).not.toContain(SECRET);
    }
  });

  test("does not come into view by a message of it that is answered or listed from", async () => {
    const victim = await newVictim();
    const attacker = await newVictim();
    const message_id = victim.conversation.last_message?.id ?? "";
    const own = `/conversations/${attacker.conversation.id}/messages`;
    const answered = await attacker.call("POST", own, { ...textMessage("What is it?"), in_reply_to: { message_id } });
    expect(answered.status).toBe(400);
    expect((await attacker.call("GET", `${own}?before=${message_id}`)).status).toBe(404);
  });
});

describe("a visitor's token", () => {
  const OTHER_ENDPOINTS = [
    ["GET", "/v2/users"],
    ["GET", "/v2/conversations/1"],
    ["GET", "/v2/agents"],
    ["GET", "/v2/stream"],
    ["GET", "/admin/accounts"],
    ["GET", "/console/api/session"],
    ["GET", "/console/api/stream"],
  ] as const;

  test.each(OTHER_ENDPOINTS)("is refused at %s %s", async (method, path) => {
    const { token } = await newVictim();
    const { status, text } = await instance.send(method, path, { token });
    expect({ text, isRefused: status === 401 || status === 403 || status === 404 }).toMatchObject({ isRefused: true });
  });

  test("is the only token that the messenger takes", async () => {
    for (const token of [instance.running.token, instance.adminKey, "visitor_", `visitor_${"A".repeat(43)}`, "null"])
      expect((await instance.send("GET", `${MESSENGER_API}/conversations`, { token })).status).toBe(
        token === instance.running.token ? 403 : 401,
      );
  });

  test("of another account leads to no conversation of this one", async () => {
    const victim = await newVictim();
    const other = await instance.begin({ account: "solo", external_id: victim.externalId });
    expect((await other.call("GET", "/conversations")).body).toEqual({ conversations: [] });
    expect((await other.call("GET", `/conversations/${victim.conversation.id}/messages`)).status).toBe(404);
  });

  test("is not taken from the address or a cookie", async () => {
    const { token } = await newVictim();
    const path = `${MESSENGER_API}/conversations`;
    expect((await instance.send("GET", `${path}?token=${token}&access_token=${token}`)).status).toBe(401);
    for (const name of ["token", "session", "authorization", "__Host-session"])
      expect((await instance.send("GET", path, { headers: { cookie: `${name}=${token}` } })).status).toBe(401);
  });
});
