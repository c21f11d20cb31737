import type { Environment } from "@parley/contract";
import { UsageFailure } from "../environment/usage-failure.ts";
import { DISPATCH_RULES, type DispatchRules } from "./dispatch-rules.ts";

/** Settings of event delivery from the environment; absent: the defaults. */
export interface EventsConfig {
  /** Waits before each further attempt of a webhook. @units milliseconds */
  readonly webhookWaitsMs?: readonly number[] | undefined;
  /** How long a failing webhook holds up its conversation. @units milliseconds */
  readonly webhookHoldMs?: number | undefined;
  /** Retention of events. @units days */
  readonly keptDays?: number | undefined;
}

/** @units milliseconds */
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_RETRIES = 30;
/** @units milliseconds */
const MAX_WAIT_MS = 7 * 86_400_000;
const MAX_RETENTION_DAYS = 3_650;

/** `5m` -> 300000; NaN for text that is no duration */
const spanOf = (text: string): number => {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = count === undefined ? NaN : Number(count) * (UNITS_MS[unit] ?? NaN);
  return ms <= MAX_WAIT_MS ? ms : NaN;
};

const waits = (text: string | undefined): readonly number[] | undefined => {
  if (text === undefined || text === "") return undefined;
  const spans = text.split(",").map((each) => spanOf(each.trim()));
  if (spans.length <= MAX_RETRIES && spans.every((span) => span > 0)) return spans;
  throw new UsageFailure(
    `PARLEY_WEBHOOK_RETRIES must be at most ${MAX_RETRIES} times with s, m, h or d of at most 7d, such as 5s,5m,30m,2h, not '${text}'.`,
  );
};

const hold = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return undefined;
  const span = spanOf(text);
  if (span >= 0) return span;
  throw new UsageFailure(
    `PARLEY_WEBHOOK_HOLD must be a time with s, m, h or d of at most 7d, such as 5m, not '${text}'.`,
  );
};

const days = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return undefined;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (count >= 1 && count <= MAX_RETENTION_DAYS) return count;
  throw new UsageFailure(
    `PARLEY_EVENTS_DAYS must be a whole number of days from 1 to ${MAX_RETENTION_DAYS}, not '${text}'.`,
  );
};

/** @errors UsageFailure that names the variable and its accepted values */
export const eventsConfig = (env: Environment = process.env): EventsConfig => ({
  webhookWaitsMs: waits(env["PARLEY_WEBHOOK_RETRIES"]),
  webhookHoldMs: hold(env["PARLEY_WEBHOOK_HOLD"]),
  keptDays: days(env["PARLEY_EVENTS_DAYS"]),
});

/** The default rules, overridden by the settings. */
export const dispatchRulesOf = ({ webhookWaitsMs, webhookHoldMs, keptDays }: EventsConfig = {}): DispatchRules => {
  const { webhook, ...others } = DISPATCH_RULES;
  return {
    ...others,
    keptDays: keptDays ?? others.keptDays,
    webhook: {
      ...webhook,
      waitsMs: webhookWaitsMs ?? webhook.waitsMs,
      holdMs: webhookHoldMs ?? webhook.holdMs,
    },
  };
};
