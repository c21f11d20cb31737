import { memberOf, PRODUCT_EVENTS } from "@parley/contract";
import { EgressFailure, egress as openEgress, signWebhook, type Egress } from "@parley/egress";
import type { Directory } from "../directory/directory.ts";
import type { Ports } from "../environment/ports.ts";
import type { RequestOutcome, SubscriberKind } from "./subscriber-kind.ts";
import type { EventRow } from "../event-payload/store.ts";
import { productEventOf } from "../event-payload/event-payload.ts";
import { sleep as sleepMs } from "../concurrency/wake-signal.ts";
import type { LogRow } from "../log/store.ts";
import type { EventDelivery } from "./deliveries.sql.ts";
import {
  type AttemptDelivery,
  type DeliveryLog,
  deadLetterLine,
  deliveryAfterAttempt,
  retryUntilPersisted,
  newDelivery,
} from "./delivery.ts";
import { appRetryRules, type DispatchRules } from "./dispatch-rules.ts";
import type { Subscription } from "./subscriptions.sql.ts";

/** Statuses after which another attempt cannot succeed. */
const FINAL_STATUSES = new Set([400, 401, 404, 410]);

const CONNECTION_ERRORS = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Limit of an event: a conversation_create carries all of its first messages. @units bytes */
const MAX_EVENT_BYTES = 8 * 1_048_576;
const MAX_REPLY_BYTES = 65_536;

/** -> the system's error code for a connection that failed, searched in causes and lists of errors */
const unreachedCode = (error: unknown): string | undefined => {
  const code = memberOf(error, "code");
  if (typeof code === "string" && CONNECTION_ERRORS.has(code)) return code;
  const inner = [memberOf(error, "cause"), memberOf(error, "errors")].flat().filter((each) => each !== undefined);
  return inner.map(unreachedCode).find((found) => found !== undefined);
};

/** A clock that moves this far during one attempt was set. @units milliseconds */
const CLOCK_JUMP_MS = 60_000;

const failureOf = (error: unknown): RequestOutcome => {
  const code = unreachedCode(error);
  if (code) return { kind: "unreachable", reason: `the host can't be reached (${code})` };
  if (error instanceof EgressFailure) return { kind: "failed", reason: error.message, isFinal: error.code < 500 };
  return { kind: "failed", reason: "the request could not be made", isFinal: false };
};

/**
 * The guard of deliveries to apps: to this machine, to public https addresses, and to the platform wherever the operator runs it.
 * @shape platformUrl: its origin; absent: on this machine
 */
export const openAppEgress = (platformUrl: string | undefined): Egress => {
  const platform = platformUrl === undefined ? undefined : new URL(platformUrl);
  const hosts = new Map(platform && [[platform.hostname, { origin: platform.origin }]]);
  return openEgress({ allowLoopback: true, hosts });
};

interface AppSubscriberDeps {
  /** Closed with the subscriber kind. */
  readonly egress: Egress;
  readonly directory: Directory;
  readonly ports: Pick<Ports, "now">;
  /** Renews the signatures of the upload URLs in an event. */
  readonly resignUrls: (text: string, accountId: number) => string;
}

/** App hosts: they receive each event that apps can handle, as one request signed by the webhook standard. */
export const createAppSubscriber = ({
  egress,
  directory,
  ports: { now },
  resignUrls,
}: AppSubscriberDeps): SubscriberKind => {
  /** Subscribers that receive one event at the same time share its text. */
  const texts = new WeakMap<EventRow, Promise<string>>();
  const textOf = (row: EventRow): Promise<string> => {
    const cached = texts.get(row);
    if (cached) return cached;
    const text = productEventOf(directory, row).then((event) => resignUrls(JSON.stringify(event), row.account_id));
    texts.set(row, text);
    return text;
  };

  return {
    wants: ({ actions }, eventKind) =>
      Object.hasOwn(PRODUCT_EVENTS, eventKind) && (actions === null || actions.includes(eventKind)),
    requestsFor: async (_, row) => [{ id: row.event_id, body: await textOf(row) }],
    async send({ url, secret }, { id, body }, { timeoutMs }) {
      const sent = now().getTime();
      const timestampSeconds = Math.floor(sent / 1_000);
      try {
        const { status } = await egress.send({
          method: "POST",
          url,
          headers: { "content-type": "application/json", ...signWebhook({ id, timestampSeconds, body, secret }) },
          body,
          timeoutMs,
          maxRequestBytes: MAX_EVENT_BYTES,
          maxResponseBytes: MAX_REPLY_BYTES,
        });
        if (status >= 200 && status < 300) return { kind: "accepted", status };
        // When the clock was set, the signature was too old by mistake: the next attempt has a new one.
        const isSet = Math.abs(now().getTime() - sent) > CLOCK_JUMP_MS;
        return {
          kind: "failed",
          reason: `answered ${status}`,
          status,
          isFinal: FINAL_STATUSES.has(status) && !isSet,
        };
      } catch (error) {
        return failureOf(error);
      }
    },
    close: () => egress.close(),
  };
};

/** Longest step of a wait that can end early. @units milliseconds */
const WAIT_STEP_MS = 250;

/** Sleeps in steps, and no longer than the condition holds. */
const sleepWhile = async (
  holds: () => boolean,
  ms: number,
  signal: AbortSignal,
  sleep: typeof sleepMs,
): Promise<void> => {
  for (let left = ms; left > 0 && holds() && !signal.aborted; left -= WAIT_STEP_MS)
    await sleep(Math.min(left, WAIT_STEP_MS), signal);
};

/**
 * Shared backoff of all deliveries to one host. An attempt at a host that is down says nothing about the event, so it uses no attempt of
 * the event's retry budget.
 *
 * States: reachable → waiting (each failure in a row doubles the wait) → reachable.
 */
interface HostBackoff {
  /** Resolves when an attempt makes sense, or when the signal aborts. */
  whenReachable(signal: AbortSignal): Promise<void>;
  /** The host could not be reached: all deliveries wait. */
  unreachable(reason: string): void;
  /** The host was reached. */
  reached(): void;
}

const createHostBackoff = (
  [minWaitMs, maxWaitMs]: readonly [number, number],
  {
    url,
    shutdownSignal,
    log,
  }: {
    /** The present address of the host. */
    readonly url: () => string | undefined;
    readonly shutdownSignal: AbortSignal;
    readonly log: (line: string) => void;
  },
): HostBackoff => {
  let waitMs = 0;
  let waiting: Promise<void> | undefined;
  /** Another address is attempted soon, and a pause ends the wait. */
  const waitForHost = (ms: number): Promise<void> => {
    const before = url();
    return sleepWhile(() => url() === before, ms, shutdownSignal, sleepMs);
  };
  return {
    async whenReachable(signal) {
      while (waiting && !signal.aborted && !shutdownSignal.aborted) await waiting;
    },
    unreachable(reason) {
      if (waiting) return;
      if (waitMs === 0) log(`deliveries wait: ${reason}`);
      waitMs = Math.min(Math.max(waitMs * 2, minWaitMs), maxWaitMs);
      waiting = waitForHost(waitMs).then(() => {
        waiting = undefined;
      });
    },
    reached() {
      if (waitMs > 0) log("deliveries continue");
      waitMs = 0;
    },
  };
};

interface AppDeliveryDeps {
  /** The subscription as it was when its queue began. */
  readonly subscription: Subscription;
  /** The subscription with its present address and kinds of events; undefined while it is paused or removed. */
  readonly current: () => Subscription | undefined;
  readonly rules: DispatchRules;
  readonly attemptDelivery: AttemptDelivery;
  /** Resolves when this process is known to hold the partition still. */
  readonly confirmHeld: (signal: AbortSignal) => Promise<void>;
  /** The wait before the next attempt. */
  readonly sleep: typeof sleepMs;
  readonly saveDeadLetter: (delivery: EventDelivery) => Promise<unknown>;
  readonly deliveryLog: DeliveryLog;
  readonly ports: Pick<Ports, "now">;
  /** Aborts when the dispatcher ends. */
  readonly shutdownSignal: AbortSignal;
  readonly log: (line: string) => void;
}

/**
 * Delivers events to one app subscription in order. After the retry budget an event becomes a dead letter and the next one proceeds.
 * @assumed An app host's reply 400, 401, 404 or 410 makes the event a dead letter at once; an unreachable host is waited for.
 */
export const createAppDelivery = ({
  subscription: { id, name },
  current,
  rules,
  attemptDelivery,
  confirmHeld,
  sleep,
  saveDeadLetter,
  deliveryLog,
  ports: { now },
  shutdownSignal,
  log,
}: AppDeliveryDeps) => {
  const host = createHostBackoff(rules.hostWaitMs, {
    url: () => current()?.url,
    shutdownSignal,
    log: (line) => log(`events: ${name}: ${line}`),
  });
  const isActive = () => current() !== undefined;

  /** -> false when the signal or a pause ended it: the event is neither delivered nor a dead letter */
  return async (event: LogRow, signal: AbortSignal): Promise<boolean> => {
    const first_time = now();
    let delivery = { ...newDelivery(id, event, first_time), state: "waiting" as const, first_time };
    for (let spentMs = 0; ;) {
      await host.whenReachable(signal);
      await confirmHeld(signal);
      const subscription = current();
      if (signal.aborted || !subscription) return false;
      const began = performance.now();
      const { outcome, taken } = await attemptDelivery(subscription, event, {
        ...delivery,
        timeoutMs: rules.attemptTimeoutMs,
      });
      if (outcome.kind === "unreachable") {
        host.unreachable(outcome.reason);
        continue;
      }
      host.reached();
      const after = deliveryAfterAttempt(appRetryRules(rules), { ...delivery, taken }, outcome, now());
      if (after.state === "delivered") {
        deliveryLog.record(after);
        return true;
      }
      // A paused app gets the event with all of its attempts when it is resumed.
      if (signal.aborted || !isActive()) return false;
      const waitMs = rules.retryWaitsMs[delivery.tries] ?? 0;
      spentMs += performance.now() - began + waitMs;
      if (after.state === "dead" || spentMs >= rules.budgetMs) {
        const deadLetter: EventDelivery = { ...after, state: "dead", next_time: null, retry_time: null };
        log(deadLetterLine(name, deadLetter));
        return (await retryUntilPersisted(() => saveDeadLetter(deadLetter), signal, log)) !== undefined;
      }
      delivery = { ...delivery, taken, tries: after.tries };
      await sleepWhile(isActive, waitMs, signal, sleep);
    }
  };
};
