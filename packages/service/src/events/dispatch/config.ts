import {
  durationWithUnit,
  type Environment,
  type EnvironmentVariable,
  httpOriginOf,
  UsageFailure,
  wholeNumberSetting,
} from "@parley/contract";
import { DISPATCH_RULES, type DispatchRules } from "./dispatch-rules.ts";

/** Settings of event delivery from the environment; absent: the defaults. */
export interface EventsConfig {
  /** Waits before each further attempt of a webhook. @units milliseconds */
  readonly webhookWaitsMs?: readonly number[] | undefined;
  /** How long a failing webhook holds up its conversation. @units milliseconds */
  readonly webhookHoldMs?: number | undefined;
  /** Retention of events. @units days */
  readonly retentionDays?: number | undefined;
  /** How long the events of a paused app are kept. @units days */
  readonly pausedEventsDays?: number | undefined;
  /** Origin of the platform, to which events of apps are sent wherever it is. */
  readonly platformUrl?: string | undefined;
}

const RETRIES_MAX = 30;
/** @units milliseconds */
const WAIT_MS_MAX = 7 * 86_400_000;
const RETENTION_DAYS_MAX = 3_650;

/** `5m` -> 300000; NaN for text that is not a duration of at most 7 days in seconds, minutes, hours or days */
const durationMsOf = (text: string): number => {
  const ms = durationWithUnit(text, ["s", "m", "h", "d"]) ?? NaN;
  return ms <= WAIT_MS_MAX ? ms : NaN;
};

const waits = (text: string | undefined): readonly number[] | undefined => {
  if (text === undefined || text === "") return undefined;
  const durations = text.split(",").map((each) => durationMsOf(each.trim()));
  if (durations.length <= RETRIES_MAX && durations.every((ms) => ms > 0)) return durations;
  throw new UsageFailure(
    `PARLEY_WEBHOOK_RETRIES must be at most ${RETRIES_MAX} times with s, m, h or d of at most 7d, such as 5s,5m,30m,2h, not '${text}'.`,
  );
};

const hold = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return undefined;
  const ms = durationMsOf(text);
  if (ms >= 0) return ms;
  throw new UsageFailure(
    `PARLEY_WEBHOOK_HOLD must be a time with s, m, h or d of at most 7d, such as 5m, not '${text}'.`,
  );
};

const days = (env: Environment, name: EnvironmentVariable): number | undefined =>
  wholeNumberSetting(env, name, { min: 1, max: RETENTION_DAYS_MAX, unit: "of days" });

const platformUrl = (text: string | undefined): string | undefined => {
  if (text === undefined || text === "") return undefined;
  const origin = httpOriginOf(text);
  if (origin !== undefined) return origin;
  throw new UsageFailure(
    `PARLEY_PLATFORM_URL must be an http or https address without a path, such as http://10.0.0.7:10001, not '${text}'.`,
  );
};

/** @errors UsageFailure that names the variable and its accepted values */
export const eventsConfig = (env: Environment = process.env): EventsConfig => ({
  webhookWaitsMs: waits(env["PARLEY_WEBHOOK_RETRIES"]),
  webhookHoldMs: hold(env["PARLEY_WEBHOOK_HOLD"]),
  retentionDays: days(env, "PARLEY_EVENTS_DAYS"),
  pausedEventsDays: days(env, "PARLEY_PAUSED_EVENTS_DAYS"),
  platformUrl: platformUrl(env["PARLEY_PLATFORM_URL"]),
});

/** The default rules, overridden by the settings. */
export const dispatchRulesOf = ({
  webhookWaitsMs,
  webhookHoldMs,
  retentionDays,
  pausedEventsDays,
}: EventsConfig = {}): DispatchRules => {
  const { webhook, ...others } = DISPATCH_RULES;
  return {
    ...others,
    retentionDays: retentionDays ?? others.retentionDays,
    pausedEventsDays: pausedEventsDays ?? others.pausedEventsDays,
    webhook: {
      ...webhook,
      waitsMs: webhookWaitsMs ?? webhook.waitsMs,
      holdMs: webhookHoldMs ?? webhook.holdMs,
    },
  };
};
