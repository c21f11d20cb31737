import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { CUSTOMER_ORDERS, type Csat, type CustomerOrder, type DirectoryCustomer } from "@parley/contract";
import { consoleHarness, outcome, UNKNOWN_ID, type ConsoleAgent, type ConsoleHarness } from "../console-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

interface CustomerPage {
  readonly customers: readonly DirectoryCustomer[];
  readonly next?: string;
  readonly total?: number;
}

let s: ConsoleHarness;
const PEOPLE = [
  { first_name: "Anna", last_name: "Berg", email: "anna@x.example", phone: "+49 151 000-1" },
  { first_name: "Ánnika", last_name: "Zoll" },
  { first_name: "Bert", last_name: "Annan", email: "bert@x.example", avatar: { url: "https://x.example/bert.png" } },
  { email: "anne@x.example" },
  { phone: "0049 30 1234" },
  {},
  { first_name: "Anna", last_name: "Abel", phone: "1510001" },
] as const;
/** Ids of these people. */
const ids: string[] = [];
beforeAll(async () => {
  s = await consoleHarness();
  for (const body of PEOPLE) ids.push((await s.client.users.createUser({ body })).id);
});
afterAll(() => s.close());

const list = (agent: { readonly session: ConsoleAgent["session"] }, query: Record<string, string> = {}) =>
  s.call<CustomerPage>(agent, "GET", `/customers?${new URLSearchParams(query)}`);
const indexes = (customers: readonly DirectoryCustomer[]) => customers.map(({ id }) => ids.indexOf(id));
/** Reads a list page by page. -> all customers, and the total of the first page */
const readAll = async (agent: ConsoleAgent, query: Record<string, string>) => {
  const found: DirectoryCustomer[] = [];
  let total: number | undefined;
  for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
    const { code, body } = await list(agent, { ...query, ...(cursor !== undefined && { cursor }) });
    expect([code, body.total !== undefined]).toEqual([200, page === 0]);
    total ??= body.total;
    found.push(...body.customers);
    cursor = body.next;
  }
  return { found, total };
};
const assign = (conversation_id: string, assignment: { assigned_agent_id?: string; assigned_group_id?: string }) =>
  s.client.conversations.updateConversation({
    params: { conversation_id },
    body: { status: "assigned", ...assignment },
  });

describe("GET /console/api/customers 200", () => {
  test("lists all customers with exact total, the newest first", async () => {
    const { code, body } = await list(s.diego);
    expect([code, indexes(body.customers), body.total, body.next]).toEqual([200, [6, 5, 4, 3, 2, 1, 0], 7, undefined]);
    expect(body.customers[4]).toEqual({
      id: ids[2],
      first_name: "Bert",
      last_name: "Annan",
      email: "bert@x.example",
      avatar_url: "https://x.example/bert.png",
      created_time: expect.any(String),
      conversations: 0,
    });
  });

  test.each([
    ["anna", [0, 6, 2]],
    ["ANN", [3, 0, 1, 6, 2]],
    ["ánn", [3, 0, 1, 6, 2]],
    ["  anna a ", [6]],
    ["berg", [0]],
    ["anne@", [3]],
    ["+49151", [0]],
    ["0049 (30)", [4]],
    ["49", [0, 4]],
    ["151", [6]],
    ["nna", []],
    ["x.example", []],
    ["%", []],
    ["_nna", []],
    ["\\", []],
    ["a".repeat(1_024), []],
  ])("finds by the beginning of a name, address or number: %s", async (text, expected) => {
    const { code, body } = await list(s.diego, { text });
    expect([code, indexes(body.customers).sort(), body.total]).toEqual([200, expected.toSorted(), expected.length]);
  });

  test("a text of spaces is none", async () => {
    expect((await list(s.diego, { text: "  " })).body.total).toBe(7);
  });

  test("orders by name without regard to case and accents; those without a name by address or number, others last", async () => {
    const { body } = await list(s.diego, { order: "name" });
    expect(indexes(body.customers)).toEqual([4, 6, 0, 3, 1, 2, 5]);
  });

  test.each(CUSTOMER_ORDERS)("the pages of the order %s contain each customer once", async (order) => {
    for (const text of ["", "ann"]) {
      const whole = (await list(s.diego, { order, text })).body.customers;
      for (const limit of ["1", "2", "3"]) {
        const { found, total } = await readAll(s.diego, { order, text, limit });
        expect([found, total]).toEqual([whole, whole.length]);
      }
    }
  });

  test("many customers of one moment are told apart by their pages", async () => {
    const harness = await consoleHarness({ ports: { now: () => new Date("2026-03-03T03:03:03.000Z") } });
    try {
      for (let index = 0; index < 5; index++) await harness.client.users.createUser({ body: { first_name: "Same" } });
      for (const order of CUSTOMER_ORDERS) {
        const seen = new Set<string>();
        for (let cursor = "", page = 0; page === 0 || cursor !== ""; page++) {
          const query = new URLSearchParams({ order, limit: "2", ...(cursor && { cursor }) });
          const { body } = await harness.call<CustomerPage>(harness.diego, "GET", `/customers?${query}`);
          for (const { id } of body.customers) seen.add(id);
          cursor = body.next ?? "";
        }
        expect(seen.size).toBe(5);
      }
    } finally {
      await harness.close();
    }
  });
});

describe("activity", () => {
  test("customers come in the order of their newest activity, with their conversations counted; those without any last", async () => {
    const own = await consoleHarness();
    try {
      const quiet = await own.client.users.createUser({ body: { first_name: "Quiet" } });
      const first = await own.conversation("First");
      const second = await own.conversation("Second");
      const message = (id: string) => ({
        actor_type: "user" as const,
        actor_id: id,
        message_parts: [{ text: { content: "Again" } }],
      });
      const create = (id: string) =>
        own.client.conversations.createConversation({
          body: { channel_id: own.channels[1]?.id ?? "", users: [{ id }], messages: [message(id)] },
        });
      await create(second.user_id);
      const { conversation_id } = await create(first.user_id);
      await own.client.messages.createMessage({ params: { conversation_id }, body: message(first.user_id) });
      for (const query of ["order=newest_activity", "order=newest_activity&text=f", "order=newest_activity&limit=1"]) {
        const { body } = await own.call<CustomerPage>(own.diego, "GET", `/customers?${query}`);
        expect(body.customers[0]).toMatchObject({
          id: first.user_id,
          conversations: 2,
          activity_time: expect.any(String),
        });
      }
      const { body } = await own.call<CustomerPage>(own.diego, "GET", "/customers?order=newest_activity");
      expect(body.customers.map(({ id }) => id)).toEqual([first.user_id, second.user_id, quiet.id]);
      expect([body.total, body.customers[2]?.conversations, body.customers[2]?.activity_time]).toEqual([
        3,
        0,
        undefined,
      ]);

      await own.client.users.deleteUser({ params: { user_id: first.user_id } });
      for (const order of CUSTOMER_ORDERS)
        for (const text of ["", "f"]) {
          const left = await own.call<CustomerPage>(own.diego, "GET", `/customers?order=${order}&text=${text}`);
          expect(left.body.customers.map(({ id }) => id)).not.toContain(first.user_id);
          expect(left.body.total).toBe(text === "" ? 2 : 0);
        }
    } finally {
      await own.close();
    }
  });
});

describe("scope", () => {
  test("an agent sees, counts and finds only customers of conversations within its scope", async () => {
    const { groups } = await s.client.groups.listGroups();
    const group = groups[0]?.id ?? "";
    const me = await s.newAgent("Mine", "Me");
    const both = await s.newAgent("Both", "Group");
    await s.client.agents.updateAgent({ params: { agent_id: both.id }, body: { groups: [group] } });
    const [own, ofGroup, elsewhere, ofBoth] = [
      await s.conversation("Scope own"),
      await s.conversation("Scope group"),
      await s.conversation("Scope elsewhere"),
      await s.conversation("Scope both"),
    ];
    await assign(own.conversation_id, { assigned_agent_id: me.id });
    await assign(ofGroup.conversation_id, { assigned_group_id: group });
    await assign(ofBoth.conversation_id, { assigned_agent_id: both.id });
    // A resolved conversation is still within the scope; another conversation of the same customer is not.
    await s.client.conversations.updateConversation({
      params: { conversation_id: own.conversation_id },
      body: { status: "resolved" },
    });
    await s.client.conversations.createConversation({
      body: {
        channel_id: s.channels[1]?.id ?? "",
        users: [{ id: own.user_id }],
        messages: [
          { actor_type: "user", actor_id: own.user_id, message_parts: [{ text: { content: "Something else" } }] },
        ],
      },
    });
    const expected: readonly (readonly [ConsoleAgent, readonly string[]])[] = [
      [me, [own.user_id]],
      [both, [ofGroup.user_id, ofBoth.user_id]],
    ];
    // Groups of an agent are known within a second.
    await waitUntil(async () => (await list(both)).body.total === 2);
    for (const [agent, users] of expected)
      for (const order of CUSTOMER_ORDERS)
        for (const text of ["", "scope"]) {
          const { found, total } = await readAll(agent, { order, text, limit: "1" });
          expect([found.map(({ id }) => id).sort(), total]).toEqual([users.toSorted(), users.length]);
          expect(found.map(({ conversations }) => conversations)).toEqual(users.map(() => 1));
        }
    expect((await list(me, { text: "Scope elsewhere" })).body).toEqual({ customers: [], total: 0 });
    expect((await list(s.diego, { text: "scope" })).body.customers.map(({ id }) => id)).toContain(elsewhere.user_id);
  });

  test("a scope None lists nothing", async () => {
    expect(outcome(await list(await s.newAgent("Nobody", "None")))).toBe("403 FORBIDDEN");
  });
});

describe("refusals", () => {
  const forged = (content: unknown) => Buffer.from(JSON.stringify(content)).toString("base64url");
  const cursors: readonly (readonly [string, CustomerOrder, string])[] = [
    ["no cursor", "newest", "nonsense"],
    ["another order's cursor", "newest", forged(["oldest", 1, 1])],
    ["a time that is none", "newest", forged(["newest", "x", 1])],
    ["a time beyond all years", "newest", forged(["newest", 9e15, 1])],
    ["a name with NUL", "name", forged(["name", "a\0", 1])],
    ["a number that is none", "name", forged(["name", "a", "1"])],
    ["a position without activity in a search", "newest_activity", forged(["without_activity", 1, 1])],
    ["an object", "newest", forged({})],
  ];
  test.each(cursors)("GET /console/api/customers 400 INVALID_VALUE for %s", async (_, order, cursor) => {
    expect(outcome(await list(s.diego, { order, cursor, text: "a" }))).toBe("400 INVALID_VALUE");
  });

  test.each([
    ["a limit of 0", { limit: "0" }],
    ["a limit of 101", { limit: "101" }],
    ["an unknown order", { order: "random" }],
    ["too long a text", { text: "a".repeat(1_025) }],
  ])("GET /console/api/customers 400 INVALID_VALUE for %s", async (_, query: Record<string, string>) => {
    expect(outcome(await list(s.diego, query))).toBe("400 INVALID_VALUE");
  });
});

describe("GET /console/api/customers/{user_id}/ratings", () => {
  const ratings = (agent: ConsoleAgent, id: string) =>
    s.call<{ ratings: Csat[] }>(agent, "GET", `/customers/${id}/ratings`);

  test("GET /console/api/customers/{user_id}/ratings 200 lists those of conversations within the scope, the newest first", async () => {
    const me = await s.newAgent("Rated", "Me");
    const { conversation_id, user_id } = await s.conversation("Rater");
    const params = { conversation_id };
    await assign(conversation_id, { assigned_agent_id: me.id });
    const first = await s.client.csat.createCsat({ params, body: { issue_resolved: true, rating: 5 } });
    const second = await s.client.csat.createCsat({
      params,
      body: { issue_resolved: false, rating: 1, additional_feedback: "Slow" },
    });
    const elsewhere = await s.client.conversations.createConversation({
      body: {
        channel_id: s.channels[1]?.id ?? "",
        users: [{ id: user_id }],
        messages: [{ actor_type: "user", actor_id: user_id, message_parts: [{ text: { content: "Hi" } }] }],
      },
    });
    const third = await s.client.csat.createCsat({
      params: { conversation_id: elsewhere.conversation_id },
      body: { issue_resolved: true, rating: 3 },
    });
    expect((await ratings(s.diego, user_id.toUpperCase())).body.ratings).toEqual([third, second, first]);
    const { code, body } = await ratings(me, user_id);
    expect([code, body.ratings]).toEqual([200, [second, first]]);
  });

  test("GET /console/api/customers/{user_id}/ratings 404 USER_NOT_FOUND for an unknown or deleted user", async () => {
    const { user_id } = await s.conversation("Gone");
    await s.client.users.deleteUser({ params: { user_id } });
    for (const id of [UNKNOWN_ID, "none", user_id])
      expect(outcome(await ratings(s.diego, id))).toBe("404 USER_NOT_FOUND");
  });
});
