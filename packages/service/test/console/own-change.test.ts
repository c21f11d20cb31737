import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Endpoint, OwnChange } from "@parley/contract";
import { createFindConversationId } from "../../src/messaging/conversations/find.ts";
import { createAgentReach } from "../../src/messaging/conversations/reach.sql.ts";
import { conversationStore } from "../../src/messaging/conversations/store.ts";
import { draftRoutes } from "../../src/console/drafts/routes.ts";
import { draftStore } from "../../src/console/drafts/store.ts";
import { realPorts } from "../../src/base/environment/ports.ts";
import type { CallerAgent, ResourceRoutes, RouteHandler } from "../../src/http/route-handlers.ts";
import { replyTemplateRoutes } from "../../src/console/reply-templates/routes.ts";
import { replyTemplateStore } from "../../src/console/reply-templates/store.ts";
import { savedViewRoutes } from "../../src/console/saved-views/routes.ts";
import { savedViewStore } from "../../src/console/saved-views/store.ts";
import { consoleHarness, type ConsoleAgent, type ConsoleHarness } from "./console-harness.ts";

/** Handlers on a real database, with a recorder in place of the streams that tell other devices. */

let s: ConsoleHarness;
let notified: (readonly [accountId: number, agentId: string | undefined, change: OwnChange])[] = [];
let tables: Readonly<Record<"views" | "templates" | "drafts", ResourceRoutes>>;
beforeAll(async () => {
  s = await consoleHarness();
  const notifyOwnChange = (...call: (typeof notified)[number]) => void notified.push(call);
  const findId = createFindConversationId(conversationStore(s.pool));
  const deps = { ports: realPorts, notifyOwnChange };
  tables = {
    views: savedViewRoutes({ ...deps, store: savedViewStore(s.pool) }),
    templates: replyTemplateRoutes({ ...deps, store: replyTemplateStore(s.pool) }),
    drafts: draftRoutes({
      ...deps,
      store: draftStore(s.pool),
      findId,
      reach: createAgentReach({ db: s.pool, findId }),
    }),
  };
});
afterAll(() => s.close());

const ACCOUNT = 1001;
/** Calls a handler as an agent. -> its answer and the notifications */
const call = async (
  { resource, handlers }: ResourceRoutes,
  operation: string,
  agent: ConsoleAgent,
  input: object = {},
) => {
  expect(resource[operation]).toBeDefined();
  const handler = handlers[operation] as RouteHandler<Endpoint>;
  const caller: { account: object; agent: Partial<CallerAgent> } = {
    account: { id: ACCOUNT },
    agent: { id: agent.id, role_id: "ADMIN", scope: "Global", groups: [] },
  };
  notified = [];
  const answer = await (handler as unknown as (input: object) => Promise<{ id: string }>)({ caller, ...input });
  return { answer, notified };
};

const VIEW = { name: "Urgent", filter: {}, order: "newest" };
const TEMPLATE = { name: "Greeting", text: "Hello" };

describe.each([
  ["views", "View", "view_id", VIEW, { kind: "views" }],
  ["templates", "ReplyTemplate", "template_id", TEMPLATE, { kind: "reply_templates" }],
] as const)("a change of %s", (table, noun, parameter, content, change) => {
  test("that are not shared is reported to the agent, of shared items to all agents of the account", async () => {
    const at = (operation: string, input: object, agent = s.diego) =>
      call(tables[table], `${operation}${noun}`, agent, input);
    const own = [[ACCOUNT, s.diego.id, change]];
    const all = [[ACCOUNT, undefined, change]];
    const created = await at("create", { body: { ...content, is_shared: false } });
    expect(created.notified).toEqual(own);
    const params = { [parameter]: created.answer.id };
    const put = async (is_shared: boolean) =>
      (await at("change", { params, body: { ...content, is_shared } })).notified;
    expect([await put(false), await put(true), await put(true), await put(false)]).toEqual([own, all, all, all]);
    expect((await at("delete", { params })).notified).toEqual(own);
    const shared = await at("create", { body: { ...content, is_shared: true } });
    expect(shared.notified).toEqual(all);
    expect((await at("delete", { params: { [parameter]: shared.answer.id } }, s.noah)).notified).toEqual(all);
  });

  test("that is refused is not reported", async () => {
    const params = { [parameter]: "none" };
    await expect(call(tables[table], `delete${noun}`, s.diego, { params })).rejects.toThrow("not found");
    expect(notified).toEqual([]);
  });
});

test("a change of a draft is reported to its agent; the deletion of none is not", async () => {
  const { conversation_id } = await s.conversation("Ada");
  const params = { conversation_id };
  const body = { text: "Dear", is_private: false, parts: [] };
  const change = [[ACCOUNT, s.diego.id, { kind: "draft", conversation_id }]];
  const save = (text: string) => call(tables.drafts, "saveDraft", s.diego, { params, body: { ...body, text } });
  const remove = () => call(tables.drafts, "deleteDraft", s.diego, { params });
  expect((await save("Dear")).notified).toEqual(change);
  expect((await save("")).notified).toEqual(change);
  expect((await save("")).notified).toEqual([]);
  await save("Dear");
  expect((await remove()).notified).toEqual(change);
  expect((await remove()).notified).toEqual([]);
});
