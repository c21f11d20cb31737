import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrate, type Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../src/index.ts";
import { endpoint } from "./fake-message-endpoint.ts";
import { hooks, QUICK, type Hook, type Hooks } from "./dispatch-harness.ts";
import { channelOf, talk } from "../conversations/conversation-fixture.ts";

let database: Database;
let folder: string;
let w: Hooks;
let channel: string;
const start = async () => {
  // Long enough that no event is given up in the meantime.
  const webhook = { waitsMs: Array.from({ length: 20 }, () => 150), tryMs: 2_000, holdMs: 60_000 };
  w = await hooks({ database, objectsFolder: folder, dispatchRules: { ...QUICK, webhook } });
  channel = await channelOf(w);
};
beforeAll(async () => {
  const run = (fresh: Database) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  database = await testDatabase({ key: `service ${JSON.stringify(SERVICE_MIGRATIONS)}`, run });
  folder = await mkdtemp(join(tmpdir(), "parley-objects-"));
  await start();
});
afterAll(async () => {
  await w.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const count = ({ endpoint }: Hook, text: string) => endpoint.taken.filter((knock) => knock.text === text).length;
const eventOf = ({ endpoint }: Hook, text: string) =>
  endpoint.taken.find((knock) => knock.text === text)?.id.slice(0, 36) ?? "";

describe("POST /admin/accounts/{account}/subscriptions/{subscription_id}/replay 202", () => {
  test("delivers one event again with the same id", async () => {
    const hook = await w.hook();
    const { say } = await talk(w, channel);
    await say("once more");
    await hook.endpoint.until((each) => each.texts().includes("once more"));
    await hook.settled();
    expect(await hook.replay({ event_id: eventOf(hook, "once more") })).toEqual({ code: 202, body: { replayed: 1 } });
    await hook.endpoint.until(() => count(hook, "once more") === 2);
    const ids = hook.endpoint.taken.filter(({ text }) => text === "once more").map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    expect(hook.endpoint.taken).toHaveLength(3);
  });

  test("delivers the events of a period again, in each conversation's order, while new events are delivered too", async () => {
    const hook = await w.hook();
    await talk(w, channel, "before");
    await hook.endpoint.until((each) => each.texts().includes("before"));
    const from = new Date().toISOString();
    const talks = [await talk(w, channel), await talk(w, channel)];
    for (const { say } of talks) for (const text of ["a", "b", "c"]) await say(text);
    await hook.endpoint.until((each) => each.texts().length === 9);
    await hook.settled();
    const to = new Date(Date.now() + 1).toISOString();
    hook.endpoint.answer(({ text, retries }) => (text === "a" && retries === 0 ? 500 : 200));
    const { body } = await hook.replay({ from, to });
    expect(body.replayed).toBeGreaterThanOrEqual(8);
    await talks[0]?.say("new");
    await hook.endpoint.until((each) => each.texts().length === 18);
    for (const { conversationId } of talks) {
      const texts = hook.endpoint.texts(conversationId).slice(4);
      expect(texts.filter((text) => text !== "new")).toEqual(["first", "a", "b", "c"]);
    }
    expect(count(hook, "before")).toBe(1);
  });

  test("is carried out once, even if the service ends in between", async () => {
    const at = await endpoint();
    const hook = await w.hookAt(at);
    const { say } = await talk(w, channel);
    for (const text of ["1", "2", "3"]) await say(text);
    await at.until((each) => each.texts().length === 4);
    await hook.settled();
    at.answer(() => 500);
    for (const text of ["1", "2"]) expect((await hook.replay({ event_id: eventOf(hook, text) })).code).toBe(202);
    await say("held");
    await at.until(({ knocks }) => knocks.some(({ text }) => text === "held") && knocks.length > 6);
    await w.close();
    at.answer(() => 200);
    const before = at.knocks.length;
    await start();
    await at.until((each) => each.texts().length === 7);
    const after = at.taken.slice(4).map(({ text }) => text);
    expect(after.filter((text) => text !== "held")).toEqual(["1", "2"]);
    expect(at.knocks).toHaveLength(before + 3);
    const known = w.known(hook.id, at);
    await known.settled();
    expect(await known.standing()).toMatchObject({ dead: 0 });
    await at.close();
  });

  test("POST /admin/accounts/{account}/subscriptions/{subscription_id}/replay EVENT_NOT_FOUND for an unknown event", async () => {
    const hook = await w.hook();
    for (const event_id of ["01890000-0000-7000-8000-000000000001", "none"])
      expect(await hook.replay({ event_id })).toMatchObject({ code: 404, body: { status: "EVENT_NOT_FOUND" } });
  });

  const wrong: [string, object][] = [
    ["nothing asked for", {}],
    ["two things at once", { failed: true, from: "2026-01-01T00:00:00.000Z" }],
    ["a time that ends before it begins", { from: "2026-01-02T00:00:00.000Z", to: "2026-01-01T00:00:00.000Z" }],
    ["to without from", { to: "2026-01-01T00:00:00.000Z" }],
  ];
  test.each(wrong)("refuses %s", async (_, body) => {
    const hook = await w.hook();
    expect(await hook.replay(body)).toMatchObject({ code: 400, body: { status: "INVALID_VALUE" } });
  });
});
