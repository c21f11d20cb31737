import { expect, test } from "@jest/globals";
import { localServiceHarness, type LocalServiceHarness } from "./local-service-harness.ts";

test("a frozen instance has identical ids and secrets after each reset and in each run", async () => {
  const deterministic = { seed: "a", at: new Date("2026-01-05T09:00:00.000Z") };
  const sendMessage = async (one: LocalServiceHarness) => {
    const id = await one.createConversation("Hello");
    const { users } = await one.client.users.listUsers({ query: { first_name: "Sam" } });
    const { messages } = await one.client.messages.listMessages({ params: { conversation_id: id }, query: {} });
    const other = await one.local.admin.issueToken({ account: "acme", name: "another" });
    return { id, users, messages, other };
  };
  const [first, second] = [await localServiceHarness({ deterministic }), await localServiceHarness({ deterministic })];
  try {
    const [one, two] = [await sendMessage(first), await sendMessage(second)];
    expect(two).toEqual(one);
    expect(one.users[0]?.created_time).toBe("2026-01-05T09:00:00.000Z");
    await first.requestSuccessfully("POST", "/reset");
    await first.clock({ action: "advance", by: "1d" });
    await first.requestSuccessfully("POST", "/reset");
    expect(await sendMessage(first)).toEqual(one);
    expect(first.local.clock().mode).toBe("frozen");
    expect(first.token).toBe(second.token);
  } finally {
    await first.close();
    await second.close();
  }
});

test("a frozen instance that continues a later seed has new ids, identical after each reset and in the next process", async () => {
  const deterministic = { seed: "a", at: new Date("2026-01-05T09:00:00.000Z") };
  const create = async (one: LocalServiceHarness) =>
    (await one.client.users.createUser({ body: { first_name: "Sam" } })).id;
  const first = await localServiceHarness({ deterministic, keep: true });
  const inSeed = await create(first);
  await first.requestSuccessfully("PUT", "/snapshots/seed");
  await create(first);
  await first.requestSuccessfully("POST", "/reset");
  const later = await create(first);
  await first.requestSuccessfully("PUT", "/snapshots/later");
  await first.requestSuccessfully("POST", "/reset");
  expect(await create(first)).toBe(later);
  await first.close();
  const second = await localServiceHarness({ deterministic, previous: first });
  try {
    expect(await create(second)).toBe(later);
    await second.requestSuccessfully("POST", "/reset");
    await second.requestSuccessfully("POST", "/snapshots/later/load");
    const next = await create(second);
    expect([next, inSeed, later].toSorted()).toEqual([inSeed, later, next]);
    expect(new Set([inSeed, later, next]).size).toBe(3);
  } finally {
    await second.close();
  }
});

test("a frozen instance assigns seeded records their own ids, and later records different ids", async () => {
  const one = await localServiceHarness({ deterministic: { seed: "a", at: new Date("2026-01-05T09:00:00.000Z") } });
  const create = async () => (await one.client.users.createUser({ body: { first_name: "Sam" } })).id;
  const seed = (query: string) => one.requestSuccessfully("POST", `/seed${query}`, { users: [{ first_name: "Sam" }] });
  const present = async () => (await one.client.users.listUsers({ query: { first_name: "Sam" } })).users.length;
  try {
    await create();
    await seed("");
    await create();
    expect(await present()).toBe(3);
    await one.requestSuccessfully("POST", "/reset");
    await create();
    expect(await present()).toBe(3);
    await seed("?anew=true");
    await create();
    expect(await present()).toBe(2);
    await one.requestSuccessfully("POST", "/reset");
    await create();
    expect(await present()).toBe(2);
  } finally {
    await one.close();
  }
});
