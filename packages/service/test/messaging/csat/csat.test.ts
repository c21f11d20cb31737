import { describe, expect, test } from "@jest/globals";
import { Csat, type NewCsat } from "@parley/contract";
import { statement } from "@parley/database";
import { Compile } from "typebox/compile";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { agentsHarness, JSON_BODY } from "../../identity/agents/agents-harness.ts";
import { UNKNOWN_ID, refusalToken } from "../conversations/conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const d = fileFixture(agentsHarness);

const check = Compile(Csat);
const rate = async (conversation_id: string, body: NewCsat): Promise<Csat> => {
  const csat = await d.client.csat.createCsat({ params: { conversation_id }, body });
  expect(check.Errors(csat)).toEqual([]);
  return csat;
};
const COUNT = statement("", "select count(*)::integer as count from csat");
const INTERNAL_ID = statement("", "select internal_id from agents where id = $1");
const ask = async <T>(sql: typeof COUNT, values: readonly unknown[]): Promise<T> => {
  const pool = d.database.pool(SERVICE_SCHEMA, { max: 1 });
  const row = await pool.one<T>(sql, values);
  await pool.end();
  return row as T;
};
const count = async () => (await ask<{ count: number }>(COUNT, [])).count;
const resolved = async (agent?: string) => {
  const started = await d.createConversation(
    agent === undefined ? {} : { status: "assigned", assigned_agent_id: d.agentNamed(agent).id },
  );
  await d.updateConversation(started.conversation_id, { status: "resolved" });
  return { ...started, interaction_id: started.messages[0]?.interaction_id };
};

describe("POST /csat/{conversation_id}", () => {
  test("POST /csat/{conversation_id} 201: stores the rating with its interaction and user", async () => {
    const { conversation_id, interaction_id } = await resolved("Maya");
    const body = { issue_resolved: true, rating: 5, additional_feedback: "Thank you!\n", reopen_conversation: false };
    const before = Date.now();
    const reply = await d.raw("POST", `/v2/csat/${conversation_id.toUpperCase()}`, {
      body: JSON.stringify(body),
      headers: JSON_BODY,
    });
    expect(reply.status).toBe(201);
    const csat = (await reply.json()) as Csat;
    const { internal_id } = await ask<{ internal_id: number }>(INTERNAL_ID, [d.agentNamed("Maya").id]);
    const { account_id } = await d.client.accounts.getConfiguration();
    expect(csat).toEqual({
      ...body,
      csat_response_id: expect.any(Number),
      created: expect.any(Number),
      interaction_id,
      conversation_id,
      csat_attributer_id: internal_id,
      app_id: account_id,
    });
    expect(csat.created).toBeGreaterThanOrEqual(before);
    expect(csat.created).toBeLessThanOrEqual(Date.now());
    expect(await d.getConversation(conversation_id)).toMatchObject({ status: "resolved" });
    const again = await rate(conversation_id, { issue_resolved: false, rating: 1 });
    expect(again.csat_response_id).not.toBe(csat.csat_response_id);
  });

  test("POST /csat/{conversation_id} 201: the minimal body", async () => {
    const { conversation_id, interaction_id } = await resolved();
    const csat = await rate(conversation_id, { issue_resolved: false });
    expect(csat).toEqual({
      csat_response_id: expect.any(Number),
      created: expect.any(Number),
      interaction_id,
      conversation_id,
      app_id: expect.any(Number),
      issue_resolved: false,
      reopen_conversation: false,
    });
  });

  test.each([{}, { status: "assigned" as const }])(
    "POST /csat/{conversation_id} 201 in an open conversation %j",
    async (change) => {
      const assigned = change.status ? { ...change, assigned_agent_id: d.agentNamed("Noah").id } : {};
      const { conversation_id } = await d.createConversation(assigned);
      const state = await d.getConversation(conversation_id);
      const csat = await rate(conversation_id, { issue_resolved: false, rating: 3, reopen_conversation: true });
      expect(csat).toMatchObject({ reopen_conversation: false });
      expect("csat_attributer_id" in csat).toBe(change.status !== undefined);
      expect(await d.getConversation(conversation_id)).toEqual(state);
    },
  );

  test("reopen_conversation reopens the conversation as new, without its agent, in a new interaction, with message and event", async () => {
    const { conversation_id, interaction_id } = await resolved("Olivia");
    const before = (await d.loggedEvents(conversation_id)).length;
    const csat = await rate(conversation_id, { issue_resolved: false, rating: 2, reopen_conversation: true });
    expect(csat).toMatchObject({ interaction_id, reopen_conversation: true, csat_attributer_id: expect.any(Number) });
    const conversation = await d.getConversation(conversation_id);
    expect(conversation.status).toBe("new");
    expect(conversation).not.toHaveProperty("assigned_agent_id");
    const last = (await d.listMessages(conversation_id)).at(-1);
    expect(last).toMatchObject({ actor_type: "system", meta_data: { isReopen: true } });
    expect(last?.interaction_id).not.toBe(interaction_id);
    const events = (await d.loggedEvents(conversation_id)).slice(before);
    expect(events.map(({ kind }) => kind)).toEqual(["conversation_update", "message_create"]);
    expect(JSON.parse(events[0]?.changes ?? "")).toEqual({
      model_changes: { status: ["resolved", "new"], assigned_agent_id: [d.agentNamed("Olivia").id, null] },
    });
    expect(await rate(conversation_id, { issue_resolved: false })).toMatchObject({
      interaction_id: last?.interaction_id,
    });
  });

  test("of many concurrent requests that reopen, one does, and all ratings are stored", async () => {
    const { conversation_id } = await resolved("Olivia");
    const before = await count();
    const rated = await Promise.all(
      Array.from({ length: 8 }, () => rate(conversation_id, { issue_resolved: false, reopen_conversation: true })),
    );
    expect(rated.filter(({ reopen_conversation }) => reopen_conversation)).toHaveLength(1);
    expect((await d.listMessages(conversation_id)).filter(({ meta_data }) => meta_data?.["isReopen"])).toHaveLength(1);
    expect(await count()).toBe(before + 8);
  });

  test("a reopening whose rating can't be stored does not happen", async () => {
    const { conversation_id } = await resolved("Olivia");
    const state = await d.getConversation(conversation_id);
    const messages = await d.listMessages(conversation_id);
    const pool = d.database.pool(SERVICE_SCHEMA, { max: 1 });
    await pool.rows(statement("", "alter table csat add constraint broken check (rating <> 4) not valid"), []);
    const reply = await d.responseOf("POST", `/csat/${conversation_id}`, {
      issue_resolved: false,
      rating: 4,
      reopen_conversation: true,
      additional_feedback: "private words",
    });
    await pool.rows(statement("", "alter table csat drop constraint broken"), []);
    await pool.end();
    expect(reply[0]).toBe(500);
    expect(d.logLines.join("\n")).toMatch(/POST \/v2\/csat\/\S+ failed: database: .*constraint broken.*\n +at /);
    expect(d.logLines.join("\n")).not.toContain("private words");
    expect(await d.getConversation(conversation_id)).toEqual(state);
    expect(await d.listMessages(conversation_id)).toEqual(messages);
    expect(await rate(conversation_id, { issue_resolved: false, rating: 4, reopen_conversation: true })).toMatchObject({
      reopen_conversation: true,
    });
  });

  test("POST /csat/{conversation_id} 400 CSAT_REOPEN_REFUSED: the reopening of a conversation that does not permit it", async () => {
    const { conversation_id } = await resolved();
    const before = await count();
    const body = { issue_resolved: true, rating: 5, reopen_conversation: true };
    expect(await refusalToken(rate(conversation_id, body))).toBe("CSAT_REOPEN_REFUSED");
    expect(await d.getConversation(conversation_id)).toMatchObject({ status: "resolved" });
    expect(await count()).toBe(before);
  });

  test.each([
    ["no body", undefined, "MISSING_PARAMETER", /body/],
    ["no issue_resolved", { rating: 5 }, "MISSING_PARAMETER", /issue_resolved/],
    ["a null issue_resolved", { issue_resolved: null, rating: 5 }, "MISSING_PARAMETER", /issue_resolved/],
    ["no rating of what is resolved", { issue_resolved: true }, "MISSING_PARAMETER", /rating/],
    ["a null rating of it", { issue_resolved: true, rating: null }, "MISSING_PARAMETER", /rating/],
    ["a text for issue_resolved", { issue_resolved: "true", rating: 5 }, "INVALID_VALUE", /issue_resolved/],
    ["0 for a rating", { issue_resolved: true, rating: 0 }, "INVALID_VALUE", /rating/],
    ["6 for a rating", { issue_resolved: true, rating: 6 }, "INVALID_VALUE", /rating/],
    ["4.5 for a rating", { issue_resolved: true, rating: 4.5 }, "INVALID_VALUE", /rating/],
    ["a text for a rating", { issue_resolved: true, rating: "5" }, "INVALID_VALUE", /rating/],
    ["a huge rating", { issue_resolved: true, rating: 1e99 }, "INVALID_VALUE", /rating/],
    [
      "a number for feedback",
      { issue_resolved: false, additional_feedback: 1 },
      "INVALID_VALUE",
      /additional_feedback/,
    ],
    [
      "feedback too long",
      { issue_resolved: false, additional_feedback: "a".repeat(65_537) },
      "INVALID_VALUE",
      /feedback/,
    ],
    ["a NUL in it", { issue_resolved: false, additional_feedback: "\0" }, "INVALID_VALUE", /NUL/],
    ["a text for reopen_conversation", { issue_resolved: false, reopen_conversation: "no" }, "INVALID_VALUE", /reopen/],
  ])("POST /csat/{conversation_id} 400 for %s", async (_, body, token, says) => {
    const { conversation_id } = await d.createConversation();
    const before = await count();
    expect(await d.responseOf("POST", `/csat/${conversation_id}`, body)).toEqual([
      400,
      token,
      expect.stringMatching(says),
    ]);
    expect(await count()).toBe(before);
  });

  test("feedback is stored unchanged: empty, with control characters, in any language", async () => {
    for (const additional_feedback of ["", "\t\r\n\u0007", "ありがとう 😀", "a".repeat(65_536)]) {
      const { conversation_id } = await d.createConversation();
      expect(await rate(conversation_id, { issue_resolved: false, additional_feedback })).toMatchObject({
        additional_feedback,
      });
    }
  });

  test("POST /csat/{conversation_id} 404 CONVERSATION_NOT_FOUND: an unknown id, a malformed id, another account's", async () => {
    const { conversation_id } = await d.createConversation();
    const body = { issue_resolved: false };
    for (const id of [UNKNOWN_ID, "42"]) expect(await refusalToken(rate(id, body))).toBe("CONVERSATION_NOT_FOUND");
    expect(await refusalToken(d.solo.csat.createCsat({ params: { conversation_id }, body }))).toBe(
      "CONVERSATION_NOT_FOUND",
    );
    expect(await d.responseOf("GET", `/csat/${conversation_id}`)).toEqual([
      405,
      "METHOD_NOT_ALLOWED",
      expect.any(String),
    ]);
  });

  test("POST /csat/{conversation_id} 404 USER_NOT_FOUND: the user was deleted", async () => {
    const { conversation_id, user_id } = await d.createConversation();
    await d.client.users.deleteUser({ params: { user_id } });
    expect(await refusalToken(rate(conversation_id, { issue_resolved: false }))).toBe("USER_NOT_FOUND");
  });

  test("POST /csat/{conversation_id} 409 CONFLICT: the conversation changes constantly", async () => {
    const { conversation_id } = await d.createConversation();
    const pool = d.database.pool(SERVICE_SCHEMA, { max: 1 });
    // No row is inserted, as if the revision had always changed.
    await pool.rows(
      statement("", `create function moving() returns trigger language plpgsql as $$ begin return null; end $$`),
      [],
    );
    await pool.rows(
      statement("", "create trigger moving before insert on csat for each row execute function moving()"),
      [],
    );
    const refused = await refusalToken(rate(conversation_id, { issue_resolved: false }));
    await pool.rows(statement("", "drop function moving cascade"), []);
    await pool.end();
    expect(refused).toBe("CONFLICT");
  });
});
