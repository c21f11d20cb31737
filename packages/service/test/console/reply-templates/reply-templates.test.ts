import { describe, expect, test } from "@jest/globals";
import { REPLY_PLACEHOLDERS, REPLY_TEMPLATES_MAX, type NewReplyTemplate, type ReplyTemplate } from "@parley/contract";
import { consoleHarness, outcome, secondProcess, UNKNOWN_ID, type ConsoleAgent } from "../console-harness.ts";
import type { SessionHarness } from "../../identity/authentication/session-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(consoleHarness);
/** A second process on the same database. */
const other = fileFixture(() => secondProcess(s));

const TEMPLATE: NewReplyTemplate = { name: "Greeting", text: "Hello {{customer.first_name}}", is_shared: false };
const create = ({ session }: ConsoleAgent, template: object = {}, at: SessionHarness = s) =>
  at.page<ReplyTemplate>("POST", "/console/api/reply-templates", { session, body: { ...TEMPLATE, ...template } });
const change = (agent: ConsoleAgent, id: string, template: object = {}) =>
  s.call<ReplyTemplate>(agent, "PUT", `/reply-templates/${id}`, { ...TEMPLATE, ...template });
const remove = (agent: ConsoleAgent, id: string) => s.call(agent, "DELETE", `/reply-templates/${id}`);
const list = async (agent: ConsoleAgent): Promise<ReplyTemplate[]> =>
  (await s.call<{ templates: ReplyTemplate[] }>(agent, "GET", "/reply-templates")).body.templates;
const idOf = async (agent: ConsoleAgent, template: object = {}): Promise<string> => {
  const { code, body } = await create(agent, template);
  expect(code).toBe(201);
  return body.id;
};
/** Fills up the templates of an agent, or the shared templates. */
const fill = (agent: ConsoleAgent, is_shared: boolean, count: number) =>
  s.sql(
    `insert into reply_templates (id, account_id, owner_id, agent_id, name, text, updated_time)
     select gen_random_uuid(), 1001, $1, case when $2 then null else $1::uuid end, 'Filler', 'text', now()
       from generate_series(1, $3 - (select count(*) from reply_templates
                                      where account_id = 1001 and agent_id is not distinct from case when $2 then null else $1::uuid end))`,
    [agent.id, is_shared, count],
  );
const clear = () => s.sql("delete from reply_templates");

test("GET /console/api/reply-templates 200 lists the shared templates of the demo account to every agent", async () => {
  const templates = await list(s.diego);
  expect(templates.length).toBeGreaterThan(3);
  for (const { is_shared, shortcut, text } of templates) {
    const names = [...text.matchAll(/\{\{([^}]*)\}\}/g)].map(([, name]) => name);
    expect([is_shared, shortcut]).toEqual([true, expect.stringMatching(/^[a-z]+$/)]);
    for (const name of names) expect(REPLY_PLACEHOLDERS).toContain(name);
  }
});

test("POST /console/api/reply-templates 201 and GET /console/api/reply-templates 200: agents see their own templates and the shared templates, by name", async () => {
  await clear();
  const { code, body } = await create(s.diego, { name: " Greeting ", shortcut: "hi-1" });
  const { id, updated_time } = body;
  expect([code, body]).toEqual([201, { ...TEMPLATE, shortcut: "hi-1", id, owner_id: s.diego.id, updated_time }]);
  const shared = await create(s.maya, { name: "apologies", is_shared: true });
  const hidden = await create(s.maya, { name: "Mine" });
  expect((await list(s.diego)).map((template) => template.id)).toEqual([shared.body.id, id]);
  expect(await list(s.maya)).toEqual([shared.body, hidden.body]);
  expect(await list(s.diego)).toContainEqual(body);
});

describe("PUT and DELETE", () => {
  test("PUT /console/api/reply-templates/{template_id} 200 replaces a template; a shortcut that is left out is removed", async () => {
    await clear();
    const id = await idOf(s.diego, { shortcut: "hi" });
    const { code, body } = await change(s.diego, id, { text: "Bye", is_shared: true });
    const expected = { name: "Greeting", text: "Bye", is_shared: true, id, owner_id: s.diego.id };
    expect([code, body]).toEqual([200, { ...expected, updated_time: body.updated_time }]);
    expect(await list(s.maya)).toEqual([body]);
  });

  test("DELETE /console/api/reply-templates/{template_id} 200 deletes the own template", async () => {
    const id = await idOf(s.diego);
    expect((await remove(s.diego, id)).code).toBe(200);
    expect((await list(s.diego)).map((template) => template.id)).not.toContain(id);
  });

  test.each([
    ["PUT /console/api/reply-templates/{template_id} 404 REPLY_TEMPLATE_NOT_FOUND", change],
    ["DELETE /console/api/reply-templates/{template_id} 404 REPLY_TEMPLATE_NOT_FOUND", remove],
  ] as const)("%s for unknown ids and for templates of others that are not shared", async (_, call) => {
    const hidden = await idOf(s.maya);
    for (const id of [UNKNOWN_ID, "none", hidden])
      for (const agent of [s.diego, s.olivia])
        expect(outcome(await call(agent, id))).toBe("404 REPLY_TEMPLATE_NOT_FOUND");
    expect((await list(s.maya)).map((template) => template.id)).toContain(hidden);
  });

  test.each([
    [
      "PUT /console/api/reply-templates/{template_id} 403 NOT_THE_OWNER",
      (agent: ConsoleAgent, id: string) => change(agent, id, { is_shared: true }),
    ],
    ["DELETE /console/api/reply-templates/{template_id} 403 NOT_THE_OWNER", remove],
  ] as const)("%s for a shared template of somebody else, below the role ADMIN", async (_, call) => {
    const shared = await idOf(s.olivia, { is_shared: true });
    for (const agent of [s.diego, s.maya]) expect(outcome(await call(agent, shared))).toBe("403 NOT_THE_OWNER");
    expect(outcome(await call(s.noah, shared))).toBe("200");
  });

  test("PUT /console/api/reply-templates/{template_id} 403 NOT_THE_OWNER: an admin does not end the sharing of somebody else", async () => {
    const shared = await idOf(s.diego, { is_shared: true });
    expect(outcome(await change(s.olivia, shared))).toBe("403 NOT_THE_OWNER");
    expect(outcome(await change(s.diego, shared))).toBe("200");
  });
});

test.each([
  ["MISSING_PARAMETER without a text", { text: undefined }],
  ["INVALID_VALUE for an empty text", { text: "" }],
  ["INVALID_VALUE for a name of spaces", { name: "  " }],
  ["INVALID_VALUE for a text without a visible character", { text: "\u3164 " }],
  ["INVALID_VALUE for a shortcut with a space", { shortcut: "a b" }],
  ["INVALID_VALUE for a shortcut in capitals", { shortcut: "ABC" }],
])(
  "POST /console/api/reply-templates and PUT /console/api/reply-templates/{template_id} 400 %s",
  async (title, template) => {
    const id = await idOf(s.diego);
    const before = await list(s.diego);
    for (const reply of [await create(s.diego, template), await change(s.diego, id, template)])
      expect(outcome(reply)).toBe(`400 ${title.split(" ")[0]}`);
    expect(await list(s.diego)).toEqual(before);
  },
);

describe("shortcuts", () => {
  test("POST /console/api/reply-templates 409 SHORTCUT_TAKEN by an own or a shared template", async () => {
    await clear();
    await idOf(s.diego, { shortcut: "own" });
    await idOf(s.maya, { shortcut: "shared", is_shared: true });
    for (const shortcut of ["own", "shared"])
      for (const is_shared of [false, true])
        expect(outcome(await create(s.diego, { shortcut, is_shared }))).toBe("409 SHORTCUT_TAKEN");
    await idOf(s.maya, { shortcut: "own" });
  });

  test("POST /console/api/reply-templates 409 SHORTCUT_TAKEN: of concurrent requests in two processes one succeeds", async () => {
    await clear();
    const replies = await Promise.all(
      [s.diego, s.maya, s.noah].flatMap((agent) =>
        [s, other].map((at) => create(agent, { shortcut: "once", is_shared: true }, at)),
      ),
    );
    expect(replies.map(outcome).sort()).toEqual(["201", ...Array<unknown>(5).fill("409 SHORTCUT_TAKEN")]);
  });

  test("PUT /console/api/reply-templates/{template_id} 409 SHORTCUT_TAKEN for a new shortcut or a template that becomes shared", async () => {
    await clear();
    await idOf(s.maya, { shortcut: "taken", is_shared: true });
    const id = await idOf(s.diego, { shortcut: "free" });
    expect(outcome(await change(s.diego, id, { shortcut: "taken" }))).toBe("409 SHORTCUT_TAKEN");
    expect(outcome(await change(s.diego, id, { shortcut: "free", text: "Changed" }))).toBe("200");
    // Somebody else shares a template with the same shortcut: the own one can still be changed, but not be shared.
    await idOf(s.maya, { shortcut: "free", is_shared: true });
    expect(outcome(await change(s.diego, id, { shortcut: "free", text: "Again" }))).toBe("200");
    expect(outcome(await change(s.diego, id, { shortcut: "free", is_shared: true }))).toBe("409 SHORTCUT_TAKEN");
  });
});

describe("limits", () => {
  test("POST /console/api/reply-templates 409 TOO_MANY_REPLY_TEMPLATES, also when two processes add some at once", async () => {
    for (const is_shared of [false, true]) {
      await clear();
      await fill(s.diego, is_shared, REPLY_TEMPLATES_MAX - 3);
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => create(s.diego, { is_shared }, index % 2 ? s : other)),
      );
      const expected = [...Array<unknown>(3).fill("201"), ...Array<unknown>(5).fill("409 TOO_MANY_REPLY_TEMPLATES")];
      expect(replies.map(outcome).sort()).toEqual(expected);
      expect(outcome(await create(s.diego, { is_shared: !is_shared }))).toBe("201");
    }
  });

  test("PUT /console/api/reply-templates/{template_id} 409 TOO_MANY_REPLY_TEMPLATES: a template that is shared counts among the shared templates", async () => {
    await clear();
    await fill(s.diego, true, REPLY_TEMPLATES_MAX);
    const own = await idOf(s.diego);
    expect(outcome(await change(s.diego, own, { is_shared: true }))).toBe("409 TOO_MANY_REPLY_TEMPLATES");
    expect(outcome(await change(s.diego, own, { text: "Other" }))).toBe("200");
    await clear();
  });
});

test("the deletion of an agent deletes its own templates; shared templates remain", async () => {
  const agent = await s.newAgent("Writer");
  const own = await idOf(agent);
  const shared = await idOf(agent, { is_shared: true });
  await s.client.agents.deleteAgent({ params: { agent_id: agent.id } });
  expect(await s.sql("select id from reply_templates where id = $1", [own])).toEqual([]);
  expect((await list(s.diego)).find(({ id }) => id === shared)?.owner_id).toBe(agent.id);
  expect(outcome(await remove(s.noah, shared))).toBe("200");
});

test("templates of another account are neither seen nor changed", async () => {
  const id = await idOf(s.diego, { is_shared: true });
  const { agents } = await s.solo.agents.listAgents();
  const sam = { id: agents[0]?.id ?? "", session: await s.signIn(agents[0]?.email ?? "", { account: "solo" }) };
  expect(await list(sam)).toEqual([]);
  expect(outcome(await remove(sam, id))).toBe("404 REPLY_TEMPLATE_NOT_FOUND");
});
