import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LIMITS } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness();
});
afterAll(() => w.close());

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNKNOWN_ID = "018f0000-0000-7000-8000-000000000000";
/** Ids of no user of acme. */
const strangers = async (): Promise<[string, string][]> => [
  ["of nobody", UNKNOWN_ID],
  ["of another account", (await w.solo.users.createUser({ body: {} })).id],
  ["that is not a UUID", "42"],
  ["that would end a statement", "'; drop table users; --"],
];
const statusOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: { problem?: { code: number; status: string } }) => error.problem?.status,
  );

const FULL = {
  avatar: { url: "https://example.com/a.png" },
  email: "ana@example.com",
  first_name: "Ana",
  last_name: 'Núñez \n"quoted" \\ {braces}, NULL',
  phone: "+34600000000",
  properties: [{ name: "plan", value: "gold" }],
  reference_id: "crm-1",
  social_profiles: [{ id: "@ana", type: "twitter" as const }],
};

describe("POST /users", () => {
  test("POST /users answers 201 with the user, its times and a restore_id", async () => {
    const before = Date.now();
    const reply = await w.raw("POST", "/v2/users", {
      body: JSON.stringify({ ...FULL, id: "mine", login_status: true, restore_id: "mine", unknown: 1 }),
      headers: { "content-type": "application/json" },
    });
    const user = (await reply.json()) as Record<string, unknown>;
    expect(reply.status).toBe(201);
    expect(user).toEqual({
      ...FULL,
      id: expect.stringMatching(UUID),
      created_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_time: user["created_time"],
      login_status: false,
      org_contact_id: expect.stringMatching(UUID),
      restore_id: expect.stringMatching(/^[\w-]{24}$/),
    });
    expect(Date.parse(String(user["created_time"]))).toBeGreaterThanOrEqual(before);
  });

  test("POST /users answers 201 to an empty body, since no member is required", async () => {
    expect(await w.client.users.createUser({ body: {} })).toMatchObject({
      avatar: {},
      properties: [],
      social_profiles: [],
    });
  });

  test("POST /users accepts the same e-mail address for two users", async () => {
    const body = { email: "twins@example.com" };
    const [one, two] = await Promise.all([w.client.users.createUser({ body }), w.client.users.createUser({ body })]);
    expect(one.id).not.toBe(two.id);
    expect(one.restore_id).not.toBe(two.restore_id);
  });

  test("POST /users stores many concurrent users, each as it was sent", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `Crowd ${index}`);
    const users = await Promise.all(
      names.map((first_name) => w.client.users.createUser({ body: { first_name, last_name: "Crowd" } })),
    );
    expect(users.map((user) => user.first_name)).toEqual(names);
    const { pagination } = await w.client.users.listUsers({ query: { last_name: "Crowd" } });
    expect(pagination.total_items).toBe(300);
    const read = await Promise.all(users.map(({ id }) => w.client.users.getUser({ params: { user_id: id } })));
    expect(read).toEqual(users);
  });
});

describe("an invalid e-mail address or avatar", () => {
  const statusOfPost = async (body: object) => statusOf(w.client.users.createUser({ body }));
  test.each([
    ["an address without @", { email: "abc" }],
    ["an address with a space", { email: "a b@c.example" }],
    ["an address beyond measure", { email: `${"a".repeat(250)}@c.example` }],
    ["a script for a picture", { avatar: { url: " java\nscript:alert(1)" } }],
    ["a drawing in an address", { avatar: { url: "data:image/svg+xml,<svg/>" } }],
    ["a file of the machine", { avatar: { url: "file:///etc/passwd" } }],
    ["another protocol", { avatar: { url: "ftp://shop.example/a.png" } }],
  ])("is refused with INVALID_VALUE: %s", async (_title, body) => {
    expect(await statusOfPost(body)).toBe("INVALID_VALUE");
    const { id: user_id } = await w.client.users.createUser({ body: FULL });
    expect(await statusOf(w.client.users.updateUser({ params: { user_id }, body: { ...body, first_name: "X" } }))).toBe(
      "INVALID_VALUE",
    );
    expect(await w.client.users.getUser({ params: { user_id } })).toMatchObject(FULL);
  });

  test("is different from an empty address, which removes it", async () => {
    expect((await w.client.users.createUser({ body: { email: "" } })).email).toBe("");
  });

  test("from an earlier release remains stored, also when it is sent again beside a change", async () => {
    const { id: user_id } = await w.client.users.createUser({ body: { first_name: "Ann" } });
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const spoil = statement(
      "",
      `update users set email = 'abc', body = (body::jsonb || '{"email":"abc"}')::text where id = $1`,
    );
    await pool.rows(spoil, [user_id]);
    await pool.end();
    expect((await w.client.users.getUser({ params: { user_id } })).email).toBe("abc");
    await w.client.users.updateUser({ params: { user_id }, body: { email: "abc", first_name: "Anna" } });
    expect(await w.client.users.getUser({ params: { user_id } })).toMatchObject({ email: "abc", first_name: "Anna" });
    expect(await statusOf(w.client.users.updateUser({ params: { user_id }, body: { email: "abd" } }))).toBe(
      "INVALID_VALUE",
    );
  });
});

describe("POST /users/fetch", () => {
  test("POST /users/fetch answers 200 with the requested users: in order, once each, without unknown users", async () => {
    const [a, b] = await Promise.all([1, 2].map(() => w.client.users.createUser({ body: FULL })));
    const unknown = (await strangers()).map(([, id]) => id);
    const ids = [b?.id, ...unknown, a?.id, b?.id.toUpperCase(), b?.id] as string[];
    expect(await w.client.users.fetchUsers({ body: { ids } })).toEqual({ users: [b, a] });
    expect(await w.client.users.fetchUsers({ body: { ids: [] } })).toEqual({ users: [] });
  });

  test("POST /users/fetch accepts 100 ids and refuses 101 with INVALID_VALUE", async () => {
    const ids = Array.from({ length: LIMITS.ids_per_fetch }, () => UNKNOWN_ID);
    expect(await w.client.users.fetchUsers({ body: { ids } })).toEqual({ users: [] });
    expect(await statusOf(w.client.users.fetchUsers({ body: { ids: [...ids, UNKNOWN_ID] } }))).toBe("INVALID_VALUE");
  });
});

describe("GET /users/{user_id}", () => {
  test("GET /users/{user_id} answers 200 with the user, regardless of the id's case", async () => {
    const user = await w.client.users.createUser({ body: FULL });
    expect(await w.client.users.getUser({ params: { user_id: user.id.toUpperCase() } })).toEqual(user);
  });

  test("GET /users/{user_id} refuses an unknown id with USER_NOT_FOUND", async () => {
    for (const [, user_id] of await strangers())
      expect(await statusOf(w.client.users.getUser({ params: { user_id } }))).toBe("USER_NOT_FOUND");
  });
});

describe("PUT /users/{user_id}", () => {
  test("PUT /users/{user_id} answers 202 with no body and changes email, names and phone only", async () => {
    const user = await w.client.users.createUser({ body: FULL });
    const change = { email: "a@example.com", first_name: "A", last_name: "", phone: "1" };
    const reply = await w.raw("PUT", `/v2/users/${user.id}`, {
      body: JSON.stringify({ ...change, reference_id: "other", avatar: {}, properties: [], social_profiles: [] }),
      headers: { "content-type": "application/json" },
    });
    expect(reply.status).toBe(202);
    expect(await reply.text()).toBe("");
    const changed = await w.client.users.getUser({ params: { user_id: user.id } });
    expect(changed).toEqual({ ...user, ...change, updated_time: changed.updated_time });
    const { users } = await w.client.users.listUsers({ query: { email: "a@example.com" } });
    expect(users).toEqual([changed]);
  });

  test("PUT /users/{user_id} keeps values that are null, omitted or equal", async () => {
    const user = await w.client.users.createUser({ body: FULL });
    for (const body of [{ email: null, first_name: null }, {}, { first_name: FULL.first_name, phone: FULL.phone }]) {
      const reply = await w.raw("PUT", `/v2/users/${user.id}`, {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
      expect(reply.status).toBe(202);
    }
    expect(await w.client.users.getUser({ params: { user_id: user.id } })).toEqual(user);
  });

  test("PUT /users/{user_id} keeps all of many concurrent changes", async () => {
    const { id: user_id } = await w.client.users.createUser({ body: {} });
    const fields = ["email", "first_name", "last_name", "phone"] as const;
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        w.client.users.updateUser({
          params: { user_id },
          body: { [fields[index % 4] ?? ""]: `change${index}@example.com` },
        }),
      ),
    );
    const user = await w.client.users.getUser({ params: { user_id } });
    expect(fields.map((field) => user[field])).toEqual(fields.map(() => expect.stringContaining("change")));
  });

  test("PUT /users/{user_id} refuses an unknown id with USER_NOT_FOUND", async () => {
    for (const [, user_id] of await strangers())
      expect(await statusOf(w.client.users.updateUser({ params: { user_id }, body: { first_name: "X" } }))).toBe(
        "USER_NOT_FOUND",
      );
  });
});

describe("GET /users/{user_id}/conversations", () => {
  test("GET /users/{user_id}/conversations answers 200 with the ids of the user's conversations, newest first", async () => {
    const user = await w.client.users.createUser({ body: {} });
    const { channels } = await w.client.channels.listChannels({ query: {} });
    const message = { actor_type: "user" as const, actor_id: user.id, message_parts: [{ text: { content: "hi" } }] };
    const body = { channel_id: channels[0]?.id ?? "", users: [{ id: user.id }], messages: [message] };
    const params = { user_id: user.id };
    expect(await w.client.users.listUserConversations({ params })).toEqual({ conversations: [] });
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1)
      ids.unshift((await w.client.conversations.createConversation({ body })).conversation_id);
    expect(await w.client.users.listUserConversations({ params })).toEqual({
      conversations: ids.map((id) => ({ id })),
    });
  });

  test("GET /users/{user_id}/conversations refuses an unknown id with USER_NOT_FOUND", async () => {
    for (const [, user_id] of await strangers())
      expect(await statusOf(w.client.users.listUserConversations({ params: { user_id } }))).toBe("USER_NOT_FOUND");
  });
});
