import type { Conversation, Message } from "@parley/contract";
import type { EventPayload, ScheduledPayload } from "@parley/framework/sdk";
import { botMessage, privateNote } from "./lib/bot-message.ts";
import { nextIdleStep, NUDGE_MARK } from "./lib/idle-conversation.ts";
import { recordDecision } from "./lib/decision-log.ts";
import { claimRecord, findRecord, RECORD_TTL_SECONDS } from "./lib/records.ts";
import { moveSchedule } from "./lib/schedules.ts";
import { hashedName } from "./lib/hashed-name.ts";
import { renderMessage } from "./lib/template.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf, type TemplateSubject } from "./lib/template-view.ts";

/** @units milliseconds */
const HOUR_MS = 3_600_000;

/** The kind of the schedule that checks an idle conversation. */
export const IDLE_SCHEDULE_KIND = "idle";

/** Data of the schedule for an idle conversation, all from the event of its last message. */
interface IdleCheck {
  readonly kind: typeof IDLE_SCHEDULE_KIND;
  readonly conversation_id: string;
  readonly channel?: TemplateSubject["channel"];
}

/** A later message postpones the check: there is one schedule per conversation. */
const scheduleCheck = (time: Date, check: IdleCheck, { schedule }: UseCaseDeps) =>
  moveSchedule(schedule, {
    name: hashedName(IDLE_SCHEDULE_KIND, check.conversation_id),
    data: { ...check },
    schedule_at: time.toISOString(),
  });

const hoursText = (count: number): string => (count === 1 ? "an hour" : `${count} hours`);

/** -> whether the message was sent */
const sendNudge = async (
  conversation: Conversation,
  messageId: string,
  { channel }: IdleCheck,
  deps: UseCaseDeps,
): Promise<boolean> => {
  const { account, db, log, settings, now } = deps;
  const { conversation_id: id, user_id } = conversation;
  const user = await account.user(user_id);
  const view = templateViewOf(settings, { user: user.ok ? user.body : undefined, channel, conversation }, now);
  const text = renderMessage(settings.followUp.nudge, "Question to quiet customers", view);
  if (!text)
    log.info(`Follow-up question not sent to conversation ${id}: its setting renders no text for this customer.`);
  if (!text) return false;
  const sent = await account.send(id, botMessage(settings, NUDGE_MARK, text), `nudge:${messageId}`);
  if (!sent.ok)
    log.error(`Follow-up question not sent to conversation ${id}: the account refused it (${sent.status}).`);
  if (!sent.ok) return false;
  await recordDecision(db, id, `nudge-${messageId}`, {
    at: now.toISOString(),
    did: "Asked the customer once more.",
    why: `No answer for ${hoursText(settings.followUp.nudgeHours)}.`,
  });
  return true;
};

/** Key of the record that the end of this idle period has begun: its remaining steps are done even if the conversation is resolved by now. */
const endKey = (messageId: string): string => `idle-end:${messageId}`;

const resolveIdle = async ({ conversation_id: id, status }: Conversation, messageId: string, deps: UseCaseDeps) => {
  const { account, db, log, settings, now } = deps;
  const why = `The customer was asked once more, and has not answered for ${hoursText(settings.followUp.resolveHours)}.`;
  await claimRecord(db, endKey(messageId), { done: true }, RECORD_TTL_SECONDS);
  const changed = status === "resolved" ? undefined : await account.change(id, { status: "resolved" });
  const did = changed?.ok === false ? `Could not be resolved (${changed.status}).` : "Resolved.";
  if (changed?.ok === false)
    log.error(`Idle conversation ${id} not resolved: the account refused it (${changed.status}).`);
  const sent = await account.send(id, privateNote(settings, "idle-end", `${did} ${why}`), `idle-end:${messageId}`);
  if (!sent.ok) log.error(`Private note not added to conversation ${id}: the account refused it (${sent.status}).`);
  await recordDecision(db, id, `idle-end-${messageId}`, { at: now.toISOString(), did, why });
};

const checkIdle = async (check: IdleCheck, deps: UseCaseDeps): Promise<void> => {
  const { account, db, settings, now } = deps;
  const present = await account.conversation(check.conversation_id);
  if (!present.ok) return;
  const conversation = present.body;
  const latest = await account.latestMessages(check.conversation_id);
  const next = nextIdleStep(latest, now, settings.followUp);
  const isResolved = conversation.status === "resolved";
  if (next.kind === "resolve" && (!isResolved || (await findRecord(db, endKey(next.messageId)))))
    await resolveIdle(conversation, next.messageId, deps);
  if (isResolved) return;
  if (next.kind === "wait") await scheduleCheck(next.until, check, deps);
  if (
    next.kind === "nudge" &&
    (await sendNudge(conversation, next.messageId, check, deps)) &&
    settings.followUp.resolveHours > 0
  )
    await scheduleCheck(new Date(now.getTime() + settings.followUp.resolveHours * HOUR_MS), check, deps);
};

const isAgentReply = ({ actor_type, message_type }: Message): boolean =>
  actor_type === "agent" && message_type === "normal";

/**
 * Checks a conversation whose customer has been silent since an agent's message: asks once, and later resolves it. Each step is
 * decided from the messages, so that an early, late or repeated check has no effect.
 */
export const followUp: UseCase<EventPayload | ScheduledPayload> = {
  name: "follow-up",
  title: "Follow-up",
  async run(event, deps) {
    const { followUp: options } = deps.settings;
    if (!options.isOn) return;
    if (event.event === "onScheduledEvent") return checkIdle(event.data as unknown as IdleCheck, deps);
    const message = event.data.message?.messages?.[0];
    if (!message || !isAgentReply(message) || event.data.message?.status === "resolved") return;
    const { channel } = event.data.associations;
    const check: IdleCheck = {
      kind: IDLE_SCHEDULE_KIND,
      conversation_id: message.conversation_id,
      ...(channel && { channel: { id: channel.id, name: channel.name } }),
    };
    await scheduleCheck(new Date(Date.parse(message.created_time) + options.nudgeHours * HOUR_MS), check, deps);
  },
};
