import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { messengerApi, problemsOf, rowsOf, type Endpoint } from "@parley/contract";
import Type from "typebox";
import { Check } from "typebox/value";
import { outcome, UNKNOWN_ID } from "../console/console-harness.ts";
import { invalidQueries, invalidValues } from "../matrix/invalid-values.ts";
import { conversationHarness, textMessage, type TestVisitor } from "./conversation-harness.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

let visitor: TestVisitor;
let conversationId: string;
/** The clock moves with each request, so that the limits of a visitor's session are not reached. */
let time = Date.now();
const TIME_STEP_MS = 1_000;
const s = fileFixture(() => conversationHarness({ ports: { now: () => new Date(time) } }));
beforeAll(async () => {
  visitor = await s.visitor();
  conversationId = (await s.begin(visitor)).conversation.id;
});

const ROWS: readonly (readonly [route: string, row: Endpoint])[] = rowsOf(messengerApi).map(({ row }) => [
  row.route,
  row,
]);
/** By route: a body that is accepted. */
const BODIES: Readonly<Record<string, object>> = {
  "POST /messenger/api/sessions": { account: "acme", profile: { first_name: "Ann" } },
  "POST /messenger/api/sessions/restore": { account: "acme", external_id: "1", restore_id: "1" },
  "POST /messenger/api/browser-uuid": { browser_key: "k".repeat(43) },
  "POST /messenger/api/sessions/signed": { account: "acme", signed_token: "a.b.c", browser_key: "k".repeat(43) },
  "PUT /messenger/api/visitor": { first_name: "Ann", properties: [{ name: "plan", value: "gold" }] },
  "POST /messenger/api/visitor/identity": { external_id: "1" },
  "POST /messenger/api/conversations": { topic_id: UNKNOWN_ID, message: textMessage("Hello") },
  "POST /messenger/api/conversations/{conversation_id}/messages": textMessage("Hello"),
  "POST /messenger/api/conversations/{conversation_id}/csat": { issue_resolved: true, rating: 5 },
  "PUT /messenger/api/conversations/{conversation_id}/activity": { is_typing: true },
};

const ask = (row: Endpoint, request: object) => {
  time += TIME_STEP_MS;
  return s.ask(visitor, row, { params: { conversation_id: conversationId }, ...request });
};
/** Sends each request; every response has the expected token, which is documented. */
const refuseAll = async (row: Endpoint, cases: readonly { title: string; request: object; status: string }[]) => {
  const documented = problemsOf(row).map(({ status }) => status);
  for (const { title, request, status } of cases) {
    const { code, body } = await ask(row, request);
    expect([title, code, body.status, body.message]).toEqual([title, 400, status, expect.stringMatching(/\w/)]);
    expect(documented).toContain(body.status);
  }
};
let before: unknown;
const stored = () =>
  s.sql(
    `select (select count(*) from users) as users, (select count(*) from conversations) as conversations,
            (select count(*) from messages) as messages, (select count(*) from csat) as csat,
            (select body from users where id = $1) as visitor`,
    [visitor.userId],
  );
beforeEach(async () => {
  before = await stored();
});

test("every endpoint with a body has a valid body, from which the invalid ones are made", () => {
  const missing = ROWS.filter(([route, { body }]) => body && !Check(body, BODIES[route]));
  expect(missing.map(([route]) => route)).toEqual([]);
});

describe("a body that violates its schema is refused, and changes nothing:", () => {
  test.each(ROWS.filter(([, row]) => row.body))("%s", async (route, row) => {
    const cases = invalidValues(row.body ?? Type.Object({}), BODIES[route]);
    expect(cases.length).toBeGreaterThan(3);
    await refuseAll(
      row,
      cases.map(({ title, value, status }) => ({ title, request: { body: value }, status })),
    );
    expect(await stored()).toEqual(before);
  });
});

describe("a query that violates its schema is refused:", () => {
  test.each(ROWS.filter(([, row]) => row.query))("%s", async (_, row) => {
    const cases = invalidQueries(row.query ?? Type.Object({}), {});
    await refuseAll(
      row,
      cases.map(({ title, value, status }) => ({ title, request: { query: value }, status })),
    );
  });
});

describe("an unknown or malformed id of a conversation is 404:", () => {
  const IDS = ["none", "%00", "0", "-1", "null", "%27%20or%201=1", "%F0%9F%98%80", UNKNOWN_ID, "x".repeat(1024)];
  test.each(ROWS.filter(([route]) => route.includes("{")))("%s", async (route, row) => {
    for (const conversation_id of IDS) {
      const reply = await ask(row, { params: { conversation_id }, body: BODIES[route] });
      expect([conversation_id, outcome(reply)]).toEqual([conversation_id, "404 CONVERSATION_NOT_FOUND"]);
    }
    expect(await stored()).toEqual(before);
  });
});

test("no request of these tests was answered with an internal error", () => {
  expect(s.logLines).toEqual([]);
});
