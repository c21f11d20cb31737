import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MESSENGER_LIMITS } from "@parley/contract";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { outcome } from "../../console/console-harness.ts";
import { messengerHarness, type MessengerHarness } from "../messenger-harness.ts";

const DAY_MS = 86_400_000;
let time = Date.parse("2026-03-01T12:00:00.000Z");
const listeners = new Set<() => void>();
const setClock = (value: number) => {
  time = value;
  for (const listener of listeners) listener();
};
let s: MessengerHarness;
beforeAll(async () => {
  s = await messengerHarness({
    ports: {
      now: () => new Date(time),
      onJump: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
});
afterAll(() => s.close());

const exists = async (user_id: string): Promise<boolean> =>
  (await s.client.users.fetchUsers({ body: { ids: [user_id] } })).users.length === 1;

test("anonymous visitors who have written nothing are deleted after their time, and other users are not", async () => {
  const begun = time;
  const silent = await s.visitor({ profile: { properties: [{ name: "plan", value: "gold" }] } });
  const identified = await s.visitor({ external_id: "kept" });
  const writer = await s.visitor();
  const body = { topic_id: s.channels[0]?.id, message: { message_parts: [{ text: { content: "Hello" } }] } };
  expect((await s.request("POST", "/conversations", { token: writer.token, body })).code).toBe(201);
  const { id: ofApi } = await s.client.users.createUser({ body: { first_name: "Api" } });

  // One day before the end a later visitor begins, whose time is not over at that of the first one.
  setClock(begun + (MESSENGER_LIMITS.anonymous_days - 1) * DAY_MS);
  const later = await s.visitor();
  expect(await exists(silent.visitor.user_id)).toBe(true);
  setClock(begun + MESSENGER_LIMITS.anonymous_days * DAY_MS + 1);
  await waitUntil(async () => !(await exists(silent.visitor.user_id)));
  const kept = [identified.visitor.user_id, writer.visitor.user_id, ofApi, later.visitor.user_id];
  expect(await Promise.all(kept.map(exists))).toEqual([true, true, true, true]);
  s.expireCaches();
  expect(outcome(await s.request("GET", "/visitor", { token: silent.token }))).toBe("401 UNAUTHENTICATED");
});
