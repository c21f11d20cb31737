import type { Message } from "@parley/contract";
import { messageMarkOf } from "./bot-message.ts";

/** The mark of the question to an idle customer. */
export const NUDGE_MARK = "nudge";
/** @units milliseconds */
const HOUR_MS = 3_600_000;

/** How long a customer can be idle. @units hours; resolveHours: 0 for no limit */
interface IdleTimes {
  readonly nudgeHours: number;
  readonly resolveHours: number;
}

/** The next step for an idle conversation. `of` is the customer's last message: it is the same for as long as the customer is idle. */
type IdleStep =
  | { readonly kind: "nothing" }
  | { readonly kind: "wait"; readonly until: Date }
  | { readonly kind: "nudge"; readonly messageId: string }
  | { readonly kind: "resolve"; readonly messageId: string };

type IdleMessage = Pick<Message, "id" | "created_time" | "actor_type" | "message_type" | "meta_data">;

const timeOf = ({ created_time }: IdleMessage): number => Date.parse(created_time);

/**
 * A customer is idle once an agent has answered: until then the business has to answer, even if bots wrote. The customer is asked once
 * in an idle period, `nudgeHours` after the agent's last message. The conversation is resolved `resolveHours` after that question, or
 * after the agent's last message since.
 * @param latest newest first; a customer without a message among them is not asked
 */
export function nextIdleStep(
  latest: readonly IdleMessage[],
  now: Date,
  { nudgeHours, resolveHours }: IdleTimes,
): IdleStep {
  const messages = latest.filter(({ message_type }) => message_type === "normal");
  const at = messages.findIndex(({ actor_type }) => actor_type === "user");
  const customerMessage = messages[at];
  const since = messages.slice(0, Math.max(at, 0));
  const agentReply = since.find(({ actor_type }) => actor_type === "agent");
  if (!customerMessage || !agentReply) return { kind: "nothing" };

  const nudge = since.find((message) => messageMarkOf(message) === NUDGE_MARK);
  if (nudge && resolveHours <= 0) return { kind: "nothing" };
  const until = nudge
    ? Math.max(timeOf(nudge), timeOf(agentReply)) + resolveHours * HOUR_MS
    : timeOf(agentReply) + nudgeHours * HOUR_MS;
  if (now.getTime() < until) return { kind: "wait", until: new Date(until) };
  return { kind: nudge ? "resolve" : "nudge", messageId: customerMessage.id };
}
