import { EgressFailure, signWebhook, type Egress } from "@parley/egress";
import type { Ports } from "../ports.ts";
import type { Subscription } from "./db/subscriptions.ts";

/** What came of one try. `reason` is kept with a dead letter: it holds nothing of the event or the answer. */
export type Attempt =
  | { readonly kind: "accepted" }
  /** Nothing was sent: it says nothing about the event. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string; readonly isFinal: boolean };

/** Answers that another try would not change. */
const FINAL_STATUSES = new Set([400, 401, 404, 410]);

const UNREACHED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A conversation_create carries all of its first messages. @units bytes */
const LARGEST_EVENT = 8 * 1_048_576;
const LARGEST_ANSWER = 65_536;

const memberOf = (error: unknown, name: "code" | "cause" | "errors"): unknown =>
  typeof error === "object" && error !== null ? (Reflect.get(error, name) as unknown) : undefined;

/** -> the system's word for why no connection came about, looked for through causes and lists of errors */
const unreachedCode = (error: unknown): string | undefined => {
  const code = memberOf(error, "code");
  if (typeof code === "string" && UNREACHED.has(code)) return code;
  const inner = [memberOf(error, "cause"), memberOf(error, "errors")].flat().filter((each) => each !== undefined);
  return inner.map(unreachedCode).find((found) => found !== undefined);
};

/** A clock that goes so far in one try, or back, was set meanwhile. @units milliseconds */
const LEAP = 60_000;

const failureOf = (error: unknown): Attempt => {
  const code = unreachedCode(error);
  if (code) return { kind: "unreachable", reason: `the host can't be reached (${code})` };
  if (error instanceof EgressFailure) return { kind: "failed", reason: error.message, isFinal: error.code < 500 };
  return { kind: "failed", reason: "the request could not be made", isFinal: false };
};

/** Sends an event once, signed. */
export type Post = (
  subscription: Subscription,
  event: { readonly id: string; readonly body: string },
) => Promise<Attempt>;

export const post =
  (egress: Egress, { now }: Pick<Ports, "now">, timeoutMs: number): Post =>
  async ({ url, secret }, { id, body }) => {
    const sent = now().getTime();
    const timestampSeconds = Math.floor(sent / 1_000);
    try {
      const { status } = await egress.send({
        method: "POST",
        url,
        headers: { "content-type": "application/json", ...signWebhook({ id, timestampSeconds, body, secret }) },
        body,
        timeoutMs,
        maxRequestBytes: LARGEST_EVENT,
        maxResponseBytes: LARGEST_ANSWER,
      });
      if (status >= 200 && status < 300) return { kind: "accepted" };
      // Of a signature that became too old in this moment the next try has a fresh one.
      const isSet = Math.abs(now().getTime() - sent) > LEAP;
      return { kind: "failed", reason: `answered ${status}`, isFinal: FINAL_STATUSES.has(status) && !isSet };
    } catch (error) {
      return failureOf(error);
    }
  };
