import type { Associations, Message } from "@parley/contract";
import type { EventPayload, KeyValueStore, ScheduledPayload, Schedules } from "@parley/framework/sdk";
import { applyAssignment, isAssignable, assignmentPlanOf, isAttended } from "./lib/assignment.ts";
import { botMessage, privateNote } from "./lib/bot-message.ts";
import {
  nextOpening,
  localTimeView,
  openingView,
  parseOpeningTimes,
  type ParsedOpeningTimes,
} from "./lib/opening-times.ts";
import { isRatingAnswer } from "./lib/csat-answer.ts";
import { recordDecision } from "./lib/decision-log.ts";
import { hashedName } from "./lib/hashed-name.ts";
import { findRecord, oncePerKey, putRecord, RECORD_TTL_SECONDS, removeRecord } from "./lib/records.ts";
import { createSchedule } from "./lib/schedules.ts";
import { renderMessage } from "./lib/template.ts";
import { isTopicEnabled } from "./lib/topic-welcomes.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf } from "./lib/template-view.ts";

const AWAY_MARK = "away";
const OPENED_MARK = "opened";

/** The kind of the schedule at an opening. */
export const OPENING_SCHEDULE_KIND = "opening";

/** A queued conversation. @shape times: ISO 8601 */
interface QueuedConversation {
  readonly since: string;
  readonly opening: string;
  readonly channel: Pick<NonNullable<Associations["channel"]>, "id" | "name" | "locale">;
}

const queueKeyOf = (conversation_id: string): string => `queued:${conversation_id}`;

/** A short key for an opening. */
const openingKey = (opening: Date): string => (opening.getTime() / 1_000).toString(36);

/** Queues a conversation, or moves a queued one to another opening. */
async function enqueue(
  { db, schedule }: { readonly db: KeyValueStore; readonly schedule: Schedules },
  conversation_id: string,
  {
    since,
    opening,
    channel,
  }: { readonly since: Date; readonly opening: Date; readonly channel: QueuedConversation["channel"] },
): Promise<void> {
  const { id, name, locale } = channel;
  const queued: QueuedConversation = {
    since: since.toISOString(),
    opening: opening.toISOString(),
    channel: { id, name, ...(locale !== undefined && { locale }) },
  };
  const seconds = Math.ceil((opening.getTime() - since.getTime()) / 1_000);
  await putRecord(db, queueKeyOf(conversation_id), queued, Math.max(0, seconds) + RECORD_TTL_SECONDS);
  await createSchedule(schedule, {
    name: hashedName(OPENING_SCHEDULE_KIND, `${conversation_id} ${queued.opening}`),
    data: { kind: OPENING_SCHEDULE_KIND, conversation_id },
    schedule_at: queued.opening,
  });
}

const findQueuedConversation = (db: KeyValueStore, conversation_id: string): Promise<QueuedConversation | undefined> =>
  findRecord<QueuedConversation>(db, queueKeyOf(conversation_id));

const dequeue = (db: KeyValueStore, conversation_id: string): Promise<void> =>
  removeRecord(db, queueKeyOf(conversation_id));

/**
 * The next opening; the present time while the business is open.
 * Without business hours the business counts as always open.
 */
const nextOpeningFor = ({ log, now }: UseCaseDeps, times: ParsedOpeningTimes): Date => {
  for (const problem of times.problems) log.warn(`Setting ignored: ${problem} Correct it on the installation page.`);
  const opening = nextOpening(now, times);
  if (!opening)
    log.error(
      "The business is treated as always open: its hours contain no opening time. Correct the hours on the installation page.",
    );
  return opening ?? now;
};

/** A customer who only gives a rating expects no answer. */
const expectsAnswer = async (messages: readonly Message[], { db }: UseCaseDeps): Promise<boolean> => {
  for (const message of messages) if (!(await isRatingAnswer(db, message))) return true;
  return false;
};

/** Tells the customer when the business opens, and queues the conversation until then. */
const queueUntilOpening = async ({ data }: EventPayload, deps: UseCaseDeps) => {
  const { account, db, log, settings, now } = deps;
  const { channel, user } = data.associations;
  const conversation = data.conversation ?? data.message;
  if (!settings.afterHours.isOn || !channel || !isTopicEnabled(channel, settings.topics)) return;
  const messages = conversation?.messages?.filter(({ actor_type }) => actor_type === "user") ?? [];
  if (!conversation || messages.length === 0 || isAttended(conversation)) return;

  const times = parseOpeningTimes(settings);
  const opening = nextOpeningFor(deps, times);
  if (opening <= now || !(await expectsAnswer(messages, deps))) return;
  const id = conversation.conversation_id;
  const period = openingKey(opening);
  await oncePerKey(db, `${AWAY_MARK}:${id}:${period}`, async () => {
    const present = await account.conversation(id);
    if (!present.ok)
      return log.error(
        `Conversation ${id} not queued until opening: it can't be read from the account (${present.status}).`,
      );
    if (isAttended(present.body)) return;
    await enqueue(deps, id, { since: now, opening, channel });
    const view = openingView(now, opening, times);
    const subject = { user, channel, conversation: present.body };
    const text = renderMessage(
      settings.afterHours.awayMessage,
      "Message after hours",
      templateViewOf(settings, subject, now, view),
    );
    const sent = text
      ? await account.send(id, botMessage(settings, AWAY_MARK, text), `${AWAY_MARK}:${id}:${period}`)
      : undefined;
    if (sent?.ok === false)
      log.error(`After-hours message not sent to conversation ${id}: the account refused it (${sent.status}).`);
    const { day, time } = view.opening;
    const closed = view.closed.holiday ? `Closed: ${view.closed.holiday}.` : "Outside business hours.";
    await recordDecision(db, id, `${AWAY_MARK}-${period}`, {
      at: now.toISOString(),
      did: `Put into the queue until ${day}, ${time}.`,
      why: closed,
    });
    log.info(`Queued conversation ${id} until ${opening.toISOString()}.`);
  });
};

/** Assigns a queued conversation to the group of the queue, unless it has a group, and tells the customer. */
const releaseFromQueue = async (
  id: string,
  { channel, since, opening }: QueuedConversation,
  times: ParsedOpeningTimes,
  deps: UseCaseDeps,
) => {
  const { account, db, log, settings, now } = deps;
  const { group, openingMessage } = settings.afterHours;
  const present = await account.conversation(id);
  if (!present.ok)
    return log.error(
      `Conversation ${id} not taken out of the queue: it can't be read from the account (${present.status}).`,
    );
  if (isAttended(present.body)) return;
  const plan = await assignmentPlanOf(group ? { group } : {}, present.body, account);
  const { done, failed } = isAssignable(present.body, plan.steps)
    ? await applyAssignment(account, id, plan)
    : { done: "", failed: [] };
  for (const problem of failed)
    log.error(`Queue group not assigned to conversation ${id}: ${problem} Check the group on the installation page.`);

  const period = openingKey(new Date(opening));
  const user = await account.user(present.body.user_id);
  const subject = { user: user.ok ? user.body : undefined, channel, conversation: present.body };
  const text = renderMessage(openingMessage, "Message at opening time", templateViewOf(settings, subject, now));
  const sent = text
    ? await account.send(id, botMessage(settings, OPENED_MARK, text), `${OPENED_MARK}:${id}:${period}`)
    : undefined;
  if (sent?.ok === false)
    log.error(`Opening message not sent to conversation ${id}: the account refused it (${sent.status}).`);

  const waitingSince = localTimeView(times.zone, new Date(since));
  const did = done ? `Taken out of the queue: ${done}.` : "Taken out of the queue.";
  const why = `The customer has waited since ${waitingSince.day}, ${waitingSince.time}.`;
  const noteText = [did, why, ...failed.map((problem) => `Not done: ${problem}`)].join(" ");
  await account.send(id, privateNote(settings, OPENED_MARK, noteText), `${OPENED_MARK}-note:${id}:${period}`);
  await recordDecision(db, id, `${OPENED_MARK}-${period}`, { at: now.toISOString(), did, why });
  log.info(`Conversation ${id}, at opening time: ${did}`);
};

/**
 * Takes a conversation out of the queue if the business is open now: its hours may have changed in the meantime.
 * Also done after the feature was switched off, because the customer has been promised an answer.
 */
const handleOpening = async ({ data }: ScheduledPayload, deps: UseCaseDeps) => {
  const { db, settings, now } = deps;
  const id = String(data["conversation_id"]);
  const queued = await findQueuedConversation(db, id);
  if (!queued) return;
  const times = parseOpeningTimes(settings);
  const opening = settings.afterHours.isOn ? nextOpeningFor(deps, times) : now;
  if (opening > now) return enqueue(deps, id, { since: new Date(queued.since), opening, channel: queued.channel });
  const key = `${OPENED_MARK}:${id}:${openingKey(new Date(queued.opening))}`;
  await oncePerKey(db, key, () => releaseFromQueue(id, queued, times, deps));
  await dequeue(db, id);
};

/** Outside business hours: tells the customer when the business opens, and takes the conversation up then. */
export const afterHours: UseCase<EventPayload | ScheduledPayload> = {
  name: "after-hours",
  title: "After-hours handling",
  run: (event, deps) =>
    event.event === "onScheduledEvent" ? handleOpening(event, deps) : queueUntilOpening(event, deps),
};
