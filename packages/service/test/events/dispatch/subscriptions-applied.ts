import type { ServiceHarness } from "../../service-harness.ts";
import { receiver } from "./fake-subscriber.ts";

/** Users whose events are in partitions of each of two processes. */
const USERS = 16;

/**
 * Waits until each process has applied the earlier changes of subscriptions and offered the earlier events of the log to their subscribers: a
 * newer subscription of another account has received newer events.
 */
export async function subscriptionsApplied({ admin, solo }: Pick<ServiceHarness, "admin" | "solo">): Promise<void> {
  const probe = await receiver();
  try {
    await admin.subscribe({ account: "solo", name: "probe", kind: "app", url: probe.url });
    await Promise.all(Array.from({ length: USERS }, () => solo.users.createUser({ body: { first_name: "Probe" } })));
    await probe.until(({ accepted }) => accepted.length >= USERS, 20_000);
    await admin.keepOnly({ account: "solo", kind: "app", names: [] });
  } finally {
    await probe.close();
  }
}
