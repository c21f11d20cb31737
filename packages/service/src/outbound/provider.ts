import type { MessageTemplate } from "@parley/contract";
import type { RenderedTemplate } from "./rendering.ts";
import type { OutboundFailure, StatusReport } from "./outbound-message.ts";

/** A message as sent to a provider. `message_id` is also its idempotency key. */
export interface ProviderMessage {
  readonly message_id: string;
  readonly request_id: string;
  readonly provider: string;
  readonly from: { readonly phone_number: string };
  readonly to: { readonly phone_number: string };
  readonly data: { readonly message_template: MessageTemplate };
  /** The text that the recipient reads. */
  readonly rendered: RenderedTemplate;
}

/** A report to be applied after a delay. @units afterMs: milliseconds from the sending */
export interface LaterReport {
  readonly report: StatusReport;
  readonly afterMs: number;
}

/** Result of one attempt. */
export type ProviderResult =
  | { readonly kind: "taken"; readonly provider_message_id: string; readonly reports: readonly LaterReport[] }
  | { readonly kind: "refused"; readonly failure: OutboundFailure }
  | RetryableResult
  /** No attempt was made. */
  | { readonly kind: "later"; readonly failure: OutboundFailure; readonly afterMs: number };

/** Another attempt may succeed. */
interface RetryableResult {
  readonly kind: "again";
  readonly failure: OutboundFailure;
  /** Earliest time of the next attempt, if the provider gives one. @units milliseconds */
  readonly afterMs?: number | undefined;
  /** The provider timed out. */
  readonly isSilent?: boolean;
}

/** Connection to a messaging provider. */
export interface OutboundProvider {
  /** @errors the signal's reason, when the service is stopped meanwhile */
  send(message: ProviderMessage, signal: AbortSignal): Promise<ProviderResult>;
  close(): Promise<void>;
}

const secondMs = 1_000;

/**
 * Delays before the second and later attempts.
 * @units milliseconds
 * @assumed Six attempts within 45 minutes: a later message is of little use to its recipient.
 */
const retryDelaysMs: readonly number[] = [5, 30, 120, 600, 1_800].map((seconds) => seconds * secondMs);

/** Upper bound of a delay requested by a provider. @units milliseconds */
const retryAfterMaxMs = 24 * 3_600 * secondMs;

/** -> delay after `attempts` failed attempts; undefined after the last one. @units milliseconds */
export const retryDelayMs = (attempts: number, retryAfterMs = 0): number | undefined => {
  const pause = retryDelaysMs[attempts - 1];
  return pause === undefined ? undefined : Math.max(pause, Math.min(retryAfterMs, retryAfterMaxMs));
};

/** @assumed A message that could not be sent for a day comes too late. @units milliseconds */
const retryWindowMs = 24 * 3_600 * secondMs;

/** Whether an attempt at `due` is still useful. */
export const isWithinRetryTime = (created: Date, due: Date): boolean =>
  due.getTime() - created.getTime() <= retryWindowMs;

/** Parses Retry-After: seconds or a date. @units milliseconds */
export const providerRetryAfter = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondMs;
  // `Date.parse` accepts many formats that HTTP does not allow.
  const time = /^[A-Z][a-z]{2,8}[, ]/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
};
