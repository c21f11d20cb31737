import { LONGEST_OVERLAP } from "@parley/contract";
import { UsageFailure } from "../usage-failure.ts";

/** What the environment says of webhooks. */
export interface WebhookConfig {
  /** How long a new key waits before it signs, and a secret that was renewed signs on. @units hours */
  readonly overlapHours: number;
  /** Whether this machine may be an endpoint, in plain http too; undefined: on a local instance. */
  readonly allowsLoopback?: boolean | undefined;
}

/** @assumed A new key signs after 24 hours; a secret that was renewed signs as long. */
export const WEBHOOK_CONFIG: WebhookConfig = { overlapHours: 24 };

const overlap = (text: string | undefined): number => {
  if (text === undefined || text === "") return WEBHOOK_CONFIG.overlapHours;
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : NaN;
  if (hours <= LONGEST_OVERLAP) return hours;
  throw new UsageFailure(
    `PARLEY_WEBHOOK_OVERLAP_HOURS must be a whole number from 0 to ${LONGEST_OVERLAP}, not '${text}'.`,
  );
};

const loopback = (text: string | undefined): boolean | undefined => {
  if (text === undefined || text === "") return undefined;
  if (text === "on" || text === "off") return text === "on";
  throw new UsageFailure(`PARLEY_WEBHOOK_LOOPBACK must be on or off, not '${text}'.`);
};

/** @errors UsageFailure that names the variable and what it takes */
export const webhookConfig = (env: NodeJS.ProcessEnv = process.env): WebhookConfig => ({
  overlapHours: overlap(env["PARLEY_WEBHOOK_OVERLAP_HOURS"]),
  allowsLoopback: loopback(env["PARLEY_WEBHOOK_LOOPBACK"]),
});
