import { OVERLAP_HOURS_MAX, type Environment, UsageFailure, wholeNumberSetting } from "@parley/contract";

/** Settings of webhooks from the environment. */
export interface WebhookConfig {
  /** How long a new key waits before it signs, and how long a replaced secret continues to sign. @units hours */
  readonly overlapHours: number;
  /** Whether an endpoint may be on this machine, also by plain http; undefined: on a local instance only. */
  readonly allowsLoopback?: boolean | undefined;
}

/** @assumed A new key signs after 24 hours; a replaced secret continues to sign as long. */
export const WEBHOOK_CONFIG: WebhookConfig = { overlapHours: 24 };

const loopback = (text: string | undefined): boolean | undefined => {
  if (text === undefined || text === "") return undefined;
  if (text === "on" || text === "off") return text === "on";
  throw new UsageFailure(`PARLEY_WEBHOOK_LOOPBACK must be on or off, not '${text}'.`);
};

/** @errors UsageFailure that names the variable and its accepted values */
export const webhookConfig = (env: Environment = process.env): WebhookConfig => ({
  overlapHours:
    wholeNumberSetting(env, "PARLEY_WEBHOOK_OVERLAP_HOURS", { min: 0, max: OVERLAP_HOURS_MAX }) ??
    WEBHOOK_CONFIG.overlapHours,
  allowsLoopback: loopback(env["PARLEY_WEBHOOK_LOOPBACK"]),
});
