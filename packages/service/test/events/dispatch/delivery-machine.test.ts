import { expect, test } from "@jest/globals";
import type { LogRow } from "../../../src/base/log/store.ts";
import { createDeliveryMachine } from "../../../src/events/dispatch/delivery-machine.ts";
import type { Subscription } from "../../../src/events/dispatch/subscriptions.sql.ts";
import { held } from "../../held.ts";

const SUBSCRIPTION: Subscription = {
  id: "subscription",
  account_id: 1,
  name: "app concierge",
  kind: "app",
  url: "http://127.0.0.1:1/",
  secret: "whsec_",
  old_secrets: [],
  old_secrets_until: [],
  start_seq: 0,
  actions: null,
  off_time: null,
  off_reason: null,
};
const EVENT: LogRow = {
  seq: 1,
  id: "event",
  account_id: 1,
  partition: 0,
  kind: "user_create",
  entity_id: "user",
  user_id: "user",
};

/** A delivery whose partition is not confirmed yet. */
const unconfirmedDelivery = () => {
  const confirmed = held();
  const stop = new AbortController();
  let attempts = 0;
  const machine = createDeliveryMachine({
    attemptDelivery: () => {
      attempts++;
      return Promise.resolve({ outcome: { kind: "accepted" }, taken: 1, hasNoRequest: false });
    },
    rulesOf: () => ({ waitsMs: [], attemptTimeoutMs: 1, holdMs: 1 }),
    active: { get: () => SUBSCRIPTION },
    confirmHeld: () => confirmed.promise,
    waitingLimit: { attempted: () => undefined, offReason: () => undefined },
    turnOff: () => Promise.resolve(),
    deliveryLog: { record: () => undefined, save: () => Promise.resolve() },
    reportDeadLetter: () => undefined,
    ports: { now: () => new Date() },
    log: () => undefined,
  });
  const host = {
    whenReachable: () => Promise.resolve(),
    unreachable: () => undefined,
    reached: () => undefined,
  };
  const delivered = machine.deliver(SUBSCRIPTION.id, EVENT, { host, keep: () => Promise.resolve(false) }, stop.signal);
  return { confirmed, stop, delivered, machine, attempts: () => attempts };
};

/** Resolves when everything that could run without further input has run. */
const settled = () => new Promise(setImmediate);

test("an event is not attempted before the process has confirmed that it holds the partition still", async () => {
  const { confirmed, delivered, attempts } = unconfirmedDelivery();
  await settled();
  expect(attempts()).toBe(0);
  confirmed.release();
  expect(await delivered).toBe(true);
  expect(attempts()).toBe(1);
});

test("an event whose partition is lost while the process confirms it is not attempted, and is not taken for delivered", async () => {
  const { confirmed, stop, delivered, attempts } = unconfirmedDelivery();
  stop.abort();
  confirmed.release();
  expect(await delivered).toBe(false);
  expect(attempts()).toBe(0);
});

test("a delivery that waits in a row is not ready before the process has confirmed that it holds the partition still", async () => {
  const { confirmed, stop, machine } = unconfirmedDelivery();
  let isReady = false;
  const ready = machine.ready(SUBSCRIPTION.id, stop.signal).then((subscription) => {
    isReady = true;
    return subscription;
  });
  await settled();
  expect(isReady).toBe(false);
  confirmed.release();
  expect(await ready).toBe(SUBSCRIPTION);
});
