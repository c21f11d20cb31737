import type { Conversation, Message } from "@parley/contract";
import type { EventPayload, ScheduledPayload } from "@parley/framework/sdk";
import { botMessage, privateNote } from "./lib/bot-message.ts";
import { nextStep, NUDGE_KEY } from "./lib/idle-conversation.ts";
import { note } from "./lib/decision-log.ts";
import { claimRecord, findRecord, KNOWN_SECONDS } from "./lib/records.ts";
import { moveSchedule } from "./lib/schedules.ts";
import { shortName } from "./lib/hashed-name.ts";
import { renderMessage } from "./lib/template.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf, type TemplateSubject } from "./lib/template-view.ts";

/** @units milliseconds */
const HOUR = 3_600_000;

/** Data of the schedule for an idle conversation, all from the event of its last message. */
interface Quiet {
  readonly kind: "idle";
  readonly conversation_id: string;
  readonly channel?: TemplateSubject["channel"];
}

/** A later message postpones the check: there is one schedule per conversation. */
const lookAt = (time: Date, quiet: Quiet, { schedule }: UseCaseDeps) =>
  moveSchedule(schedule, {
    name: shortName("idle", quiet.conversation_id),
    data: { ...quiet },
    schedule_at: time.toISOString(),
  });

const hours = (count: number): string => (count === 1 ? "an hour" : `${count} hours`);

/** -> whether the message was sent */
const ask = async (conversation: Conversation, of: string, { channel }: Quiet, deps: UseCaseDeps): Promise<boolean> => {
  const { account, db, log, settings, now } = deps;
  const { conversation_id: id, user_id } = conversation;
  const user = await account.user(user_id);
  const view = templateViewOf(settings, { user: user.ok ? user.body : undefined, channel, conversation }, now);
  const text = renderMessage(settings.followUp.nudge, "Question to quiet customers", view);
  if (!text) log.info(`The question to quiet customers says nothing for conversation ${id}: it is not asked.`);
  if (!text) return false;
  const sent = await account.send(id, botMessage(settings, NUDGE_KEY, text), `nudge:${of}`);
  if (!sent.ok) log.error(`Conversation ${id} takes no question to its quiet customer (${sent.status}).`);
  if (!sent.ok) return false;
  await note(db, id, `nudge-${of}`, {
    at: now.toISOString(),
    did: "Asked the customer once more.",
    why: `No answer for ${hours(settings.followUp.nudgeHours)}.`,
  });
  return true;
};

/** Key of the record that the end of this idle period has begun: its remaining steps are done even if the conversation is resolved by now. */
const endKey = (of: string): string => `idle-end:${of}`;

const end = async ({ conversation_id: id, status }: Conversation, of: string, deps: UseCaseDeps) => {
  const { account, db, log, settings, now } = deps;
  const why = `The customer was asked once more, and has not answered for ${hours(settings.followUp.resolveHours)}.`;
  await claimRecord(db, endKey(of), { done: true }, KNOWN_SECONDS);
  const changed = status === "resolved" ? undefined : await account.change(id, { status: "resolved" });
  const did = changed?.ok === false ? `Could not be resolved (${changed.status}).` : "Resolved.";
  if (changed?.ok === false) log.error(`Conversation ${id} is quiet and can't be resolved (${changed.status}).`);
  const sent = await account.send(id, privateNote(settings, "idle-end", `${did} ${why}`), `idle-end:${of}`);
  if (!sent.ok) log.error(`Conversation ${id} takes no note about its end (${sent.status}).`);
  await note(db, id, `idle-end-${of}`, { at: now.toISOString(), did, why });
};

const look = async (quiet: Quiet, deps: UseCaseDeps): Promise<void> => {
  const { account, db, settings, now } = deps;
  const present = await account.conversation(quiet.conversation_id);
  if (!present.ok) return;
  const conversation = present.body;
  const latest = await account.latestMessages(quiet.conversation_id);
  const next = nextStep(latest, now, settings.followUp);
  const isResolved = conversation.status === "resolved";
  if (next.kind === "resolve" && (!isResolved || (await findRecord(db, endKey(next.of)))))
    await end(conversation, next.of, deps);
  if (isResolved) return;
  if (next.kind === "wait") await lookAt(next.until, quiet, deps);
  if (next.kind === "nudge" && (await ask(conversation, next.of, quiet, deps)) && settings.followUp.resolveHours > 0)
    await lookAt(new Date(now.getTime() + settings.followUp.resolveHours * HOUR), quiet, deps);
};

const isAnswer = ({ actor_type, message_type }: Message): boolean =>
  actor_type === "agent" && message_type === "normal";

/**
 * Checks a conversation whose customer has been silent since an agent's message: asks once, and later resolves it. Each step is
 * decided from the messages, so that an early, late or repeated check has no effect.
 */
export const followUp: UseCase<EventPayload | ScheduledPayload> = {
  name: "follow-up",
  async run(event, deps) {
    const { followUp: set } = deps.settings;
    if (!set.isOn) return;
    if (event.event === "onScheduledEvent") return look(event.data as unknown as Quiet, deps);
    const message = event.data.message?.messages?.[0];
    if (!message || !isAnswer(message) || event.data.message?.status === "resolved") return;
    const { channel } = event.data.associations;
    const quiet: Quiet = {
      kind: "idle",
      conversation_id: message.conversation_id,
      ...(channel && { channel: { id: channel.id, name: channel.name } }),
    };
    await lookAt(new Date(Date.parse(message.created_time) + set.nudgeHours * HOUR), quiet, deps);
  },
};
