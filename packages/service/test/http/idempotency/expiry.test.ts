import { expect, test } from "@jest/globals";
import type { File } from "@parley/contract";
import { fakeClock } from "../../messaging/outbound/outbound-fixture.ts";
import { newIdempotencyKey, idempotencyHarness } from "./idempotency-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const HOUR_MS = 3_600_000;
const time = fakeClock();
const w = fileFixture(() => idempotencyHarness({ ports: { now: time.now }, config: { addressSeconds: 3_600 } }));

test("a response is repeated for 24 hours of the service's clock, then the key can be used again", async () => {
  const [key, creating, before] = [newIdempotencyKey(), w.creatingRequest("POST /users"), await w.countRows("users")];
  const first = await w.sendRequest(creating, 1, key);
  time.advance(24 * HOUR_MS - 1);
  expect(await w.sendRequest(creating, 1, key)).toMatchObject({ isReplay: true, text: first.text });
  time.advance(1);
  const anew = await w.sendRequest(creating, 2, key);
  expect(anew).toMatchObject({ status: 201, isReplay: false });
  expect(await w.sendRequest(creating, 2, key)).toMatchObject({ isReplay: true, text: anew.text });
  expect(await w.countRows("users")).toBe(before + 2);
});

test("a signed URL in a repeated response works", async () => {
  const [key, creating] = [newIdempotencyKey(), w.creatingRequest("POST /files/upload")];
  const first = JSON.parse((await w.sendRequest(creating, 7, key)).text) as File;
  time.advance(2 * HOUR_MS);
  expect((await fetch(first.url)).status).toBe(403);
  const again = await w.sendRequest(creating, 7, key);
  expect(again.isReplay).toBe(true);
  expect(await (await fetch((JSON.parse(again.text) as File).url)).text()).toBe("number 7");
});

test("expired records are removed automatically, and others are kept", async () => {
  for (let nth = 0; nth < 20; nth += 1) await w.sendRequest(w.creatingRequest("POST /users"), nth, newIdempotencyKey());
  time.advance(20 * HOUR_MS);
  const key = newIdempotencyKey();
  const first = await w.sendRequest(w.creatingRequest("POST /users"), 1, key);
  time.advance(6 * HOUR_MS);
  await waitUntil(async () => (await w.countRows("idempotency_keys")) === 1);
  expect(await w.sendRequest(w.creatingRequest("POST /users"), 1, key)).toMatchObject({
    isReplay: true,
    text: first.text,
  });
  time.advance(26 * HOUR_MS);
  await waitUntil(async () => (await w.countRows("idempotency_keys")) === 0);
});
