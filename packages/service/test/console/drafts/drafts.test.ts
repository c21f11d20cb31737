import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import type { Draft } from "@parley/contract";
import { consoleHarness, outcome, UNKNOWN_ID, type ConsoleAgent } from "../console-harness.ts";
import { tablesWith } from "../../messaging/users/personal-data-search.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(consoleHarness);

const DRAFT = { text: "Dear", is_private: false, parts: [] };
const save = (agent: ConsoleAgent, id: string, draft: object = {}) =>
  s.call<Draft>(agent, "PUT", `/conversations/${id}/draft`, { ...DRAFT, ...draft });
const remove = (agent: ConsoleAgent, id: string) => s.call(agent, "DELETE", `/conversations/${id}/draft`);
const list = async (agent: ConsoleAgent): Promise<Draft[]> =>
  (await s.call<{ drafts: Draft[] }>(agent, "GET", "/drafts")).body.drafts;
const ofConversation = async (agent: ConsoleAgent, id: string) =>
  (await list(agent)).filter(({ conversation_id }) => conversation_id === id);

describe("PUT /console/api/conversations/{conversation_id}/draft", () => {
  test("PUT /console/api/conversations/{conversation_id}/draft 200 saves one draft for each agent and replaces the one before", async () => {
    const { conversation_id } = await s.conversation("Ada");
    const parts = [
      { image: { url: "https://x.example/a.png" } },
      { file: { file_hash: "f".repeat(32), name: "a.txt" } },
    ];
    expect((await save(s.diego, conversation_id)).code).toBe(200);
    expect((await save(s.maya, conversation_id, { text: "Hi", is_private: true })).code).toBe(200);
    const { code, body } = await save(s.diego, conversation_id, { text: "Dear Ada", parts });
    expect([code, body]).toEqual([
      200,
      { conversation_id, text: "Dear Ada", is_private: false, parts, updated_time: expect.any(String) },
    ]);
    expect(await ofConversation(s.diego, conversation_id)).toEqual([body]);
    expect(await ofConversation(s.maya, conversation_id)).toMatchObject([{ text: "Hi", is_private: true }]);
  });

  test("an empty draft is deleted, and one with parts only is kept", async () => {
    const { conversation_id } = await s.conversation("Ada");
    const parts = [{ video: { url: "https://x.example/a.mp4" } }];
    await save(s.diego, conversation_id, { text: "", parts });
    expect(await ofConversation(s.diego, conversation_id)).toHaveLength(1);
    const { code, body } = await save(s.diego, conversation_id, { text: "" });
    expect([code, body]).toMatchObject([200, { conversation_id, text: "", parts: [] }]);
    expect(await ofConversation(s.diego, conversation_id)).toEqual([]);
  });

  test("takes the number of the conversation", async () => {
    const { conversation_id } = await s.conversation("Ada");
    const { messages } = await s.client.messages.listMessages({ params: { conversation_id } });
    const { body } = await save(s.diego, messages[0]?.freshchat_conversation_id ?? "");
    expect(body.conversation_id).toBe(conversation_id);
  });

  test.each([
    ["a text", { text: { content: "a" } }],
    ["a button", { url_button: { url: "https://x.example", label: "x" } }],
    ["a collection", { collection: { sub_parts: [] } }],
    ["an address that could run code", { image: { url: "javascript:alert(1)" } }],
    ["a file without address and hash", { file: { name: "a.txt" } }],
  ])("PUT /console/api/conversations/{conversation_id}/draft 400 INVALID_MESSAGE_PARTS for %s", async (_, part) => {
    const { conversation_id } = await s.conversation("Ada");
    expect(outcome(await save(s.diego, conversation_id, { parts: [part] }))).toBe("400 INVALID_MESSAGE_PARTS");
    expect(await ofConversation(s.diego, conversation_id)).toEqual([]);
  });

  test.each([
    ["MISSING_PARAMETER without a text", { text: undefined }],
    ["INVALID_VALUE for too long a text", { text: "x".repeat(65_537) }],
    [
      "INVALID_VALUE for too many parts",
      { parts: Array.from({ length: 51 }, () => ({ image: { url: "https://x" } })) },
    ],
  ])("PUT /console/api/conversations/{conversation_id}/draft 400 %s", async (title, draft) => {
    const { conversation_id } = await s.conversation("Ada");
    expect(outcome(await save(s.diego, conversation_id, draft))).toBe(`400 ${title.split(" ")[0]}`);
  });
});

describe("a reply and a private note", () => {
  test("are two drafts of a conversation: saving and emptying one leaves the other", async () => {
    const { conversation_id } = await s.conversation("Ada");
    await save(s.diego, conversation_id, { text: "Dear Ada" });
    await save(s.diego, conversation_id, { text: "She is annoyed", is_private: true });
    const texts = async () => (await ofConversation(s.diego, conversation_id)).map(({ text }) => text).toSorted();
    expect(await texts()).toEqual(["Dear Ada", "She is annoyed"]);
    await save(s.diego, conversation_id, { text: "", is_private: true });
    expect(await texts()).toEqual(["Dear Ada"]);
  });

  test("a draft that a process of the previous release writes is found, and gone when it deletes it", async () => {
    const { conversation_id } = await s.conversation("Ada");
    const values = [s.diego.id, conversation_id];
    const previous = `insert into drafts (account_id, agent_id, conversation_id, text, is_private, parts, updated_time)
                      select account_id, $1, id, 'Note', true, '[]', now() from conversations where id = $2`;
    await s.sql(previous, values);
    expect(await ofConversation(s.diego, conversation_id)).toMatchObject([{ text: "Note", is_private: true }]);
    await s.sql("delete from drafts where agent_id = $1 and conversation_id = $2", values);
    expect(await ofConversation(s.diego, conversation_id)).toEqual([]);
  });
});

describe("PUT /console/api/conversations/{conversation_id}/draft with based_on", () => {
  test.each([
    ["replaces the draft that it names", (known: string) => known, "200", "Second"],
    [
      "PUT /console/api/conversations/{conversation_id}/draft 409 DRAFT_CHANGED for an earlier draft",
      () => "2026-01-01T00:00:00.000Z",
      "409 DRAFT_CHANGED",
      "First",
    ],
    ["409 DRAFT_CHANGED for no draft where a draft is stored", () => "", "409 DRAFT_CHANGED", "First"],
    ["409 DRAFT_CHANGED for a time before all drafts", () => "0000-01-01T00:00:00Z", "409 DRAFT_CHANGED", "First"],
    ["replaces any without it", () => undefined, "200", "Second"],
  ])("%s", async (_, basedOn, expected, kept) => {
    const { conversation_id } = await s.conversation("Ada");
    const { body } = await save(s.diego, conversation_id, { text: "First", based_on: "" });
    const based_on = basedOn(body.updated_time);
    expect(outcome(await save(s.diego, conversation_id, { text: "Second", based_on }))).toBe(expected);
    expect(await ofConversation(s.diego, conversation_id)).toMatchObject([{ text: kept }]);
  });

  test("deletes the draft that it names, and 409 DRAFT_CHANGED for another draft", async () => {
    const { conversation_id } = await s.conversation("Ada");
    const { body: first } = await save(s.diego, conversation_id, { text: "First" });
    const { body: second } = await save(s.diego, conversation_id, { text: "Second", based_on: first.updated_time });
    const empty = (based_on: string) => save(s.diego, conversation_id, { text: "", based_on });
    expect(outcome(await empty(first.updated_time))).toBe("409 DRAFT_CHANGED");
    expect(await ofConversation(s.diego, conversation_id)).toMatchObject([{ text: "Second" }]);
    expect(outcome(await empty(second.updated_time))).toBe("200");
    expect(await ofConversation(s.diego, conversation_id)).toEqual([]);
    expect(outcome(await empty(second.updated_time))).toBe("200");
  });

  test.each(["yesterday", "2026-02-31T00:00:00Z", 1])("400 INVALID_VALUE for %j", async (based_on) => {
    const { conversation_id } = await s.conversation("Ada");
    expect(outcome(await save(s.diego, conversation_id, { based_on }))).toBe("400 INVALID_VALUE");
  });
});

describe("conversations that don't exist", () => {
  test.each([
    ["PUT /console/api/conversations/{conversation_id}/draft 404 CONVERSATION_NOT_FOUND", save],
    [
      "PUT /console/api/conversations/{conversation_id}/draft 404 CONVERSATION_NOT_FOUND for an empty draft",
      (agent: ConsoleAgent, id: string) => save(agent, id, { text: "" }),
    ],
    ["DELETE /console/api/conversations/{conversation_id}/draft 404 CONVERSATION_NOT_FOUND", remove],
  ] as const)("%s", async (_, call) => {
    for (const id of [UNKNOWN_ID, "none", "1"])
      expect(outcome(await call(s.diego, id))).toBe("404 CONVERSATION_NOT_FOUND");
  });
});

test("DELETE /console/api/conversations/{conversation_id}/draft 200 deletes the agent's own draft, and can be repeated", async () => {
  const { conversation_id } = await s.conversation("Ada");
  await save(s.diego, conversation_id);
  await save(s.diego, conversation_id, { is_private: true });
  await save(s.maya, conversation_id);
  for (let time = 0; time < 2; time++) expect((await remove(s.diego, conversation_id)).code).toBe(200);
  expect(await ofConversation(s.diego, conversation_id)).toEqual([]);
  expect(await ofConversation(s.maya, conversation_id)).toHaveLength(1);
});

test("GET /console/api/drafts 200 lists the newest first, and only those of conversations that the agent still reaches", async () => {
  const agent = await s.newAgent("Drafter", "Me");
  const ids: string[] = [];
  for (const name of ["Ada", "Bob"]) {
    const { conversation_id } = await s.conversation(name);
    const body = { status: "assigned" as const, assigned_agent_id: agent.id };
    await s.client.conversations.updateConversation({ params: { conversation_id }, body });
    expect((await save(agent, conversation_id)).code).toBe(200);
    await setTimeout(2);
    ids.push(conversation_id);
  }
  const [first = "", second = ""] = ids;
  expect((await list(agent)).map(({ conversation_id }) => conversation_id)).toEqual([second, first]);
  await s.client.conversations.updateConversation({
    params: { conversation_id: second },
    body: { status: "assigned", assigned_agent_id: s.maya.id },
  });
  expect((await list(agent)).map(({ conversation_id }) => conversation_id)).toEqual([first]);
  expect(outcome(await save(agent, second))).toBe("404 CONVERSATION_NOT_FOUND");
  expect(outcome(await remove(agent, second))).toBe("404 CONVERSATION_NOT_FOUND");
});

describe("deletions", () => {
  test("of a user delete the drafts to it, also those that are being saved", async () => {
    for (let round = 0; round < 4; round++) {
      const { conversation_id, user_id } = await s.conversation("Ada");
      const secret = `secret${round}draft`;
      await save(s.diego, conversation_id, { text: secret });
      const saving = Array.from({ length: 8 }, (_, index) =>
        save(index % 2 ? s.maya : s.diego, conversation_id, { text: `${secret} ${index}` }),
      );
      await setTimeout(round * 3);
      await s.client.users.deleteUser({ params: { user_id } });
      const outcomes = new Set((await Promise.all(saving)).map(outcome));
      for (const each of outcomes) expect(["200", "404 CONVERSATION_NOT_FOUND"]).toContain(each);
      expect(await tablesWith(s.database, secret)).toEqual([]);
      expect(outcome(await save(s.diego, conversation_id))).toBe("404 CONVERSATION_NOT_FOUND");
    }
  });

  test("of an agent delete its drafts and no other drafts", async () => {
    const agent = await s.newAgent("Leaver");
    const { conversation_id } = await s.conversation("Ada");
    await save(agent, conversation_id);
    await save(s.maya, conversation_id);
    await s.client.agents.deleteAgent({ params: { agent_id: agent.id } });
    const ofConversation = "select agent_id from conversation_drafts where conversation_id = $1";
    const left = await s.sql<{ agent_id: string }>(ofConversation, [conversation_id]);
    expect(left).toEqual([{ agent_id: s.maya.id }]);
  });
});

test("concurrent saves of one draft keep one of them", async () => {
  const { conversation_id } = await s.conversation("Ada");
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) => save(s.diego, conversation_id, { text: `${index}` })),
  );
  expect(replies.map(({ code }) => code)).toEqual(replies.map(() => 200));
  const [draft, ...others] = await ofConversation(s.diego, conversation_id);
  expect([others, draft?.text]).toEqual([[], expect.stringMatching(/^[0-9]$/)]);
});
