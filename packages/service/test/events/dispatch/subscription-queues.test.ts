import { expect, test } from "@jest/globals";
import { DISPATCH_RULES } from "../../../src/events/dispatch/dispatch-rules.ts";
import type { SavedCursor } from "../../../src/events/dispatch/partition-cursor.sql.ts";
import { createSubscriptionQueue } from "../../../src/events/dispatch/subscription-queue.ts";
import { createSubscriptionQueues } from "../../../src/events/dispatch/subscription-queues.ts";
import { createActiveSubscriptions } from "../../../src/events/dispatch/subscriptions.ts";
import type { Subscription } from "../../../src/events/dispatch/subscriptions.sql.ts";
import type { LogRow } from "../../../src/base/log/store.ts";

test("a webhook that is turned off while its cursors are read receives nothing until it is on again, then each event once", async () => {
  const webhook = { id: "w", account_id: 1, kind: "webhook", start_seq: 1 } as Subscription;
  const event = { seq: 2, account_id: 1, partition: 7, entity_id: "e" } as LogRow;
  const reads: ((cursors: SavedCursor[]) => void)[] = [];
  const delivered: number[] = [];
  const active = createActiveSubscriptions();
  const queues = createSubscriptionQueues({
    active,
    cursors: {
      read: () => new Promise((resolve) => reads.push(resolve)),
      save: () => Promise.resolve(),
    },
    prepare: () => Promise.resolve(),
    createQueue: ({ id }) =>
      createSubscriptionQueue({
        subscriptionId: id,
        rules: DISPATCH_RULES,
        highWatermark: () => 2,
        readBack: () => Promise.resolve([event]),
        deliver: ({ seq }) => Promise.resolve(delivered.push(seq) > 0),
        onError: (error) => {
          throw error;
        },
      }),
  });
  const leases = [{ partition: 7, signal: new AbortController().signal }];
  const settled = () => new Promise(setImmediate);
  const endReads = async () => {
    await settled();
    for (const end of reads.splice(0)) end([]);
    await settled();
  };

  active.replace([webhook]);
  const configured = queues.configure(leases);
  await settled();
  active.remove(webhook.id);
  await endReads();
  await configured;
  expect(delivered).toEqual([]);
  active.replace([webhook]);
  const configuredAgain = queues.configure(leases);
  await endReads();
  await configuredAgain;
  expect(delivered).toEqual([2]);
});
