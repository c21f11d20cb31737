import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { File } from "@parley/contract";
import { until } from "../jobs/jobs-fixture.ts";
import { clock } from "../outbound/outbound-fixture.ts";
import { newKey, creationWorld, type CreationWorld } from "./idempotency-harness.ts";

const HOUR = 3_600_000;
const time = clock();
let w: CreationWorld;
beforeAll(async () => {
  w = await creationWorld({ ports: { now: time.now }, config: { addressSeconds: 3_600 } });
});
afterAll(() => w.close());

test("a response is repeated for 24 hours of the service's clock, then the key can be used again", async () => {
  const [key, maker, before] = [newKey(), w.maker("POST /users"), await w.rows("users")];
  const first = await w.send(maker, 1, key);
  time.move(24 * HOUR - 1);
  expect(await w.send(maker, 1, key)).toMatchObject({ isReplay: true, text: first.text });
  time.move(1);
  const anew = await w.send(maker, 2, key);
  expect(anew).toMatchObject({ status: 201, isReplay: false });
  expect(await w.send(maker, 2, key)).toMatchObject({ isReplay: true, text: anew.text });
  expect(await w.rows("users")).toBe(before + 2);
});

test("a signed URL in a repeated response works", async () => {
  const [key, maker] = [newKey(), w.maker("POST /files/upload")];
  const first = JSON.parse((await w.send(maker, 7, key)).text) as File;
  time.move(2 * HOUR);
  expect((await fetch(first.url)).status).toBe(403);
  const again = await w.send(maker, 7, key);
  expect(again.isReplay).toBe(true);
  expect(await (await fetch((JSON.parse(again.text) as File).url)).text()).toBe("number 7");
});

test("expired records are removed automatically, and others are kept", async () => {
  for (let nth = 0; nth < 20; nth += 1) await w.send(w.maker("POST /users"), nth, newKey());
  time.move(20 * HOUR);
  const key = newKey();
  const first = await w.send(w.maker("POST /users"), 1, key);
  time.move(6 * HOUR);
  await until(async () => (await w.rows("idempotency_keys")) === 1);
  expect(await w.send(w.maker("POST /users"), 1, key)).toMatchObject({ isReplay: true, text: first.text });
  time.move(26 * HOUR);
  await until(async () => (await w.rows("idempotency_keys")) === 0);
});
