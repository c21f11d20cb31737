import { describe, expect, test } from "@jest/globals";
import { SAVED_VIEWS_MAX, type NewSavedView, type SavedView } from "@parley/contract";
import { consoleHarness, outcome, secondProcess, UNKNOWN_ID, type ConsoleAgent } from "../console-harness.ts";
import type { SessionHarness } from "../../identity/authentication/session-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(consoleHarness);
/** A second process on the same database. */
const other = fileFixture(() => secondProcess(s));

const VIEW: NewSavedView = {
  name: "Urgent",
  filter: { priority: "Urgent", agent: "me" },
  order: "waiting",
  is_shared: false,
};
const create = ({ session }: ConsoleAgent, view: object = {}, at: SessionHarness = s) =>
  at.page<SavedView>("POST", "/console/api/views", { session, body: { ...VIEW, ...view } });
const change = (agent: ConsoleAgent, id: string, view: object = {}) =>
  s.call<SavedView>(agent, "PUT", `/views/${id}`, { ...VIEW, ...view });
const remove = (agent: ConsoleAgent, id: string) => s.call(agent, "DELETE", `/views/${id}`);
const list = async (agent: ConsoleAgent): Promise<SavedView[]> =>
  (await s.call<{ views: SavedView[] }>(agent, "GET", "/views")).body.views;
const idOf = async (agent: ConsoleAgent, view: object = {}): Promise<string> => (await create(agent, view)).body.id;
/** Fills up the views of an agent, or the shared views. */
const fill = (agent: ConsoleAgent, is_shared: boolean, count: number) =>
  s.sql(
    `insert into saved_views (id, account_id, owner_id, agent_id, name, filter, sort_order)
     select gen_random_uuid(), 1001, $1, case when $2 then null else $1::uuid end, 'Filler', '{}', 'newest'
       from generate_series(1, $3 - (select count(*) from saved_views
                                      where account_id = 1001 and agent_id is not distinct from case when $2 then null else $1::uuid end))`,
    [agent.id, is_shared, count],
  );
const clear = () => s.sql("delete from saved_views");

test("POST /console/api/views 201 and GET /console/api/views 200: agents see their own views and the shared views, by name", async () => {
  await clear();
  const { code, body } = await create(s.diego, { name: "  Urgent " });
  expect([code, body]).toEqual([201, { ...VIEW, id: body.id, owner_id: s.diego.id }]);
  const shared = await create(s.maya, { name: "ärgerlich", is_shared: true, filter: {} });
  const hidden = await create(s.maya, { name: "Mine" });
  expect((await list(s.diego)).map(({ id }) => id)).toEqual([shared.body.id, body.id]);
  expect(await list(s.maya)).toEqual([shared.body, hidden.body]);
});
test("GET /console/api/views 200 lists views by name without regard to case and accents", async () => {
  await clear();
  for (const name of ["Zoo", "apple", "Ähnlich", "Banana"]) await create(s.diego, { name });
  expect((await list(s.diego)).map(({ name }) => name)).toEqual(["Ähnlich", "apple", "Banana", "Zoo"]);
});

describe("PUT and DELETE", () => {
  test("PUT /console/api/views/{view_id} 200 replaces a view, and shares it", async () => {
    const id = await idOf(s.diego);
    const next = { name: "All", filter: {}, order: "newest", is_shared: true };
    const { code, body } = await change(s.diego, id.toUpperCase(), next);
    expect([code, body]).toEqual([200, { ...next, id, owner_id: s.diego.id }]);
    expect(await list(s.maya)).toContainEqual(body);
    expect((await change(s.diego, id)).code).toBe(200);
    expect((await list(s.maya)).map((view) => view.id)).not.toContain(id);
  });

  test("DELETE /console/api/views/{view_id} 200 deletes the own view", async () => {
    const id = await idOf(s.diego);
    expect((await remove(s.diego, id)).code).toBe(200);
    expect((await list(s.diego)).map((view) => view.id)).not.toContain(id);
  });

  test.each([
    ["PUT /console/api/views/{view_id} 404 VIEW_NOT_FOUND", change],
    ["DELETE /console/api/views/{view_id} 404 VIEW_NOT_FOUND", remove],
  ] as const)("%s for unknown ids and for views of others that are not shared", async (_, call) => {
    const hidden = await idOf(s.maya);
    for (const id of [UNKNOWN_ID, "none", hidden])
      for (const agent of [s.diego, s.olivia]) expect(outcome(await call(agent, id))).toBe("404 VIEW_NOT_FOUND");
    expect((await list(s.maya)).map((view) => view.id)).toContain(hidden);
  });

  test.each([
    [
      "PUT /console/api/views/{view_id} 403 NOT_THE_OWNER",
      (agent: ConsoleAgent, id: string) => change(agent, id, { is_shared: true }),
    ],
    ["DELETE /console/api/views/{view_id} 403 NOT_THE_OWNER", remove],
  ] as const)("%s for a shared view of somebody else, below the role ADMIN", async (_, call) => {
    const shared = await idOf(s.olivia, { is_shared: true });
    for (const agent of [s.diego, s.maya]) expect(outcome(await call(agent, shared))).toBe("403 NOT_THE_OWNER");
    expect(outcome(await call(s.noah, shared))).toBe("200");
  });

  test("PUT /console/api/views/{view_id} 403 NOT_THE_OWNER: an admin does not end the sharing of somebody else", async () => {
    const shared = await idOf(s.diego, { is_shared: true });
    expect(outcome(await change(s.olivia, shared, { is_shared: false }))).toBe("403 NOT_THE_OWNER");
    expect((await change(s.olivia, shared, { is_shared: true, name: "By Olivia" })).body.owner_id).toBe(s.diego.id);
    expect((await change(s.diego, shared, { is_shared: false })).code).toBe(200);
  });
});

test.each([
  ["MISSING_PARAMETER without an order", { order: undefined }],
  ["INVALID_VALUE for an unknown order", { order: "random" }],
  ["INVALID_VALUE for an empty name", { name: "" }],
  ["INVALID_VALUE for a name of spaces", { name: "   " }],
  ["INVALID_VALUE for a name without a visible character", { name: "\u200b" }],
  ["INVALID_VALUE for a long name", { name: "x".repeat(81) }],
  ["INVALID_VALUE for an unknown status", { filter: { status: "lost" } }],
])("POST /console/api/views and PUT /console/api/views/{view_id} 400 %s", async (title, view) => {
  const id = await idOf(s.diego);
  const before = await list(s.diego);
  for (const reply of [await create(s.diego, view), await change(s.diego, id, view)])
    expect(outcome(reply)).toBe(`400 ${title.split(" ")[0]}`);
  expect(await list(s.diego)).toEqual(before);
});

describe("limits", () => {
  test("POST /console/api/views 409 TOO_MANY_VIEWS: of an agent's own views, also when two processes add some at once", async () => {
    await clear();
    await fill(s.diego, false, SAVED_VIEWS_MAX - 3);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => create(s.diego, {}, index % 2 ? s : other)),
    );
    expect(replies.map(outcome).sort()).toEqual([
      ...Array<unknown>(3).fill("201"),
      ...Array<unknown>(7).fill("409 TOO_MANY_VIEWS"),
    ]);
    expect(await list(s.diego)).toHaveLength(SAVED_VIEWS_MAX);
    expect(outcome(await create(s.maya))).toBe("201");
    expect(outcome(await create(s.diego, { is_shared: true }))).toBe("201");
  });

  test("POST /console/api/views 409 TOO_MANY_VIEWS: of the shared views of an account, by all agents together", async () => {
    await clear();
    await fill(s.diego, true, SAVED_VIEWS_MAX - 2);
    const agents = [s.diego, s.maya, s.noah, s.olivia];
    const replies = await Promise.all(
      agents.flatMap((agent) => [create(agent, { is_shared: true }), create(agent, { is_shared: true }, other)]),
    );
    expect(replies.map(outcome).sort()).toEqual([
      ...Array<unknown>(2).fill("201"),
      ...Array<unknown>(6).fill("409 TOO_MANY_VIEWS"),
    ]);
    expect(outcome(await create(s.diego))).toBe("201");
  });

  test("PUT /console/api/views/{view_id} 409 TOO_MANY_VIEWS: a view that is shared counts among the shared views, and back", async () => {
    await clear();
    await fill(s.diego, true, SAVED_VIEWS_MAX);
    const own = await idOf(s.diego);
    expect(outcome(await change(s.diego, own, { is_shared: true }))).toBe("409 TOO_MANY_VIEWS");
    const [shared] = (await list(s.diego)).filter(({ is_shared }) => is_shared);
    await fill(s.diego, false, SAVED_VIEWS_MAX);
    expect(outcome(await change(s.diego, shared?.id ?? "", { is_shared: false }))).toBe("409 TOO_MANY_VIEWS");
    expect(outcome(await change(s.diego, shared?.id ?? "", { is_shared: true }))).toBe("200");
    expect(outcome(await change(s.diego, own, { name: "Renamed" }))).toBe("200");
    await clear();
  });
});

test("the deletion of an agent deletes its own views; shared views remain and admins can change them", async () => {
  const agent = await s.newAgent("Viewer");
  const own = await idOf(agent);
  const shared = await idOf(agent, { is_shared: true });
  await s.client.agents.deleteAgent({ params: { agent_id: agent.id } });
  expect(await s.sql("select id from saved_views where id = $1", [own])).toEqual([]);
  expect((await list(s.diego)).find(({ id }) => id === shared)?.owner_id).toBe(agent.id);
  expect(outcome(await change(s.noah, shared, { is_shared: true, name: "Kept" }))).toBe("200");
  expect(outcome(await remove(s.noah, shared))).toBe("200");
});

test("views of another account are neither seen nor changed", async () => {
  const id = await idOf(s.diego, { is_shared: true });
  const { agents } = await s.solo.agents.listAgents();
  const sam = { id: agents[0]?.id ?? "", session: await s.signIn(agents[0]?.email ?? "", { account: "solo" }) };
  expect(await list(sam)).toEqual([]);
  expect(outcome(await change(sam, id, { is_shared: true }))).toBe("404 VIEW_NOT_FOUND");
  expect(outcome(await remove(sam, id))).toBe("404 VIEW_NOT_FOUND");
});
