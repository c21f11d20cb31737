import type { Message } from "@parley/contract";
import { messageMarkOf } from "./bot-message.ts";

/** The mark of the question to an idle customer. */
export const NUDGE_KEY = "nudge";
/** @units milliseconds */
const HOUR = 3_600_000;

/** How long a customer can be idle. @units hours; resolveHours: 0 for no limit */
export interface IdleTimes {
  readonly nudgeHours: number;
  readonly resolveHours: number;
}

/** The next step for an idle conversation. `of` is the customer's last message: it is the same for as long as the customer is idle. */
export type IdleStep =
  | { readonly kind: "nothing" }
  | { readonly kind: "wait"; readonly until: Date }
  | { readonly kind: "nudge"; readonly of: string }
  | { readonly kind: "resolve"; readonly of: string };

type Said = Pick<Message, "id" | "created_time" | "actor_type" | "message_type" | "meta_data">;

const timeOf = ({ created_time }: Said): number => Date.parse(created_time);

/**
 * A customer is idle once an agent has answered: until then the business has to answer, whatever bots wrote. The customer is asked once
 * in an idle period, `nudgeHours` after the agent's last message. The conversation is resolved `resolveHours` after that question, or
 * after the agent's last message since.
 * @param latest newest first; a customer without a message among them is not asked
 */
export function nextStep(latest: readonly Said[], now: Date, { nudgeHours, resolveHours }: IdleTimes): IdleStep {
  const told = latest.filter(({ message_type }) => message_type === "normal");
  const at = told.findIndex(({ actor_type }) => actor_type === "user");
  const quiet = told[at];
  const since = told.slice(0, Math.max(at, 0));
  const answer = since.find(({ actor_type }) => actor_type === "agent");
  if (!quiet || !answer) return { kind: "nothing" };

  const nudge = since.find((message) => messageMarkOf(message) === NUDGE_KEY);
  if (nudge && resolveHours <= 0) return { kind: "nothing" };
  const until = nudge
    ? Math.max(timeOf(nudge), timeOf(answer)) + resolveHours * HOUR
    : timeOf(answer) + nudgeHours * HOUR;
  if (now.getTime() < until) return { kind: "wait", until: new Date(until) };
  return { kind: nudge ? "resolve" : "nudge", of: quiet.id };
}
