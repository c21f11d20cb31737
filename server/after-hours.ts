import type { Message } from "@parley/contract";
import type { EventPayload, ScheduledPayload } from "@parley/framework/sdk";
import { carryOutAssignment, isFree, assignmentPlanOf, isAttended } from "./lib/assignment.ts";
import { botMessage, privateNote } from "./lib/bot-message.ts";
import { nextOpening, momentIn, openingView, timesOf, type ReadTimes } from "./lib/opening-times.ts";
import { isRatingAnswer } from "./lib/csat-answer.ts";
import { note } from "./lib/decision-log.ts";
import { dequeue, enqueue, openingKey, queuedConversationsOf, type QueuedConversation } from "./lib/opening-queue.ts";
import { oncePerKey } from "./lib/records.ts";
import { renderMessage } from "./lib/template.ts";
import { isChosen } from "./lib/topic-welcomes.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf } from "./lib/template-view.ts";

const AWAY = "away";
const OPENED = "opened";

/**
 * The next opening; the present time while the business is open.
 * Without business hours the business counts as always open.
 */
const openingOf = ({ log, now }: UseCaseDeps, times: ReadTimes): Date => {
  for (const problem of times.problems) log.warn(`Left out: ${problem}`);
  const opening = nextOpening(now, times);
  if (!opening) log.error("The business hours never open, so they are not kept: see the settings of the hours.");
  return opening ?? now;
};

/** A customer who only gives a rating expects no answer. */
const isAsking = async (messages: readonly Message[], { db }: UseCaseDeps): Promise<boolean> => {
  for (const message of messages) if (!(await isRatingAnswer(db, message))) return true;
  return false;
};

/** Tells the customer when the business opens, and queues the conversation until then. */
const turnAway = async ({ data }: EventPayload, deps: UseCaseDeps) => {
  const { account, db, log, settings, now } = deps;
  const { channel, user } = data.associations;
  const conversation = data.conversation ?? data.message;
  if (!settings.afterHours.isOn || !channel || !isChosen(channel, settings.topics)) return;
  const messages = conversation?.messages?.filter(({ actor_type }) => actor_type === "user") ?? [];
  if (!conversation || messages.length === 0 || isAttended(conversation)) return;

  const times = timesOf(settings);
  const opening = openingOf(deps, times);
  if (opening <= now || !(await isAsking(messages, deps))) return;
  const id = conversation.conversation_id;
  const period = openingKey(opening);
  await oncePerKey(db, `${AWAY}:${id}:${period}`, async () => {
    const present = await account.conversation(id);
    if (!present.ok) return log.error(`Conversation ${id} can't wait for the opening (${present.status}).`);
    if (isAttended(present.body)) return;
    await enqueue(deps, id, { since: now, opening, channel });
    const more = openingView(now, opening, times);
    const subject = { user, channel, conversation: present.body };
    const text = renderMessage(
      settings.afterHours.awayMessage,
      "Message after hours",
      templateViewOf(settings, subject, now, more),
    );
    const sent = text ? await account.send(id, botMessage(settings, AWAY, text), `${AWAY}:${id}:${period}`) : undefined;
    if (sent?.ok === false) log.error(`Conversation ${id} takes no message after hours (${sent.status}).`);
    const { day, time } = more.opening;
    const closed = more.closed.holiday ? `Closed: ${more.closed.holiday}.` : "Outside business hours.";
    await note(db, id, `${AWAY}-${period}`, {
      at: now.toISOString(),
      did: `Put into the queue until ${day}, ${time}.`,
      why: closed,
    });
    log.info(`Conversation ${id} waits until ${opening.toISOString()}.`);
  });
};

/** Assigns a queued conversation to the group of the queue, unless it has a group, and tells the customer. */
const takeUp = async (
  id: string,
  { channel, since, opening }: QueuedConversation,
  times: ReadTimes,
  deps: UseCaseDeps,
) => {
  const { account, db, log, settings, now } = deps;
  const { group, openingMessage } = settings.afterHours;
  const present = await account.conversation(id);
  if (!present.ok) return log.error(`Conversation ${id} can't be taken out of the queue (${present.status}).`);
  if (isAttended(present.body)) return;
  const plan = await assignmentPlanOf(group ? { group } : {}, present.body, account);
  const { done, failed } = isFree(present.body, plan.parts)
    ? await carryOutAssignment(account, id, plan)
    : { done: "", failed: [] };
  for (const problem of failed) log.error(`The group of those who waited, conversation ${id}: ${problem}`);

  const period = openingKey(new Date(opening));
  const user = await account.user(present.body.user_id);
  const subject = { user: user.ok ? user.body : undefined, channel, conversation: present.body };
  const text = renderMessage(openingMessage, "Message at opening time", templateViewOf(settings, subject, now));
  const sent = text
    ? await account.send(id, botMessage(settings, OPENED, text), `${OPENED}:${id}:${period}`)
    : undefined;
  if (sent?.ok === false) log.error(`Conversation ${id} takes no message at opening time (${sent.status}).`);

  const from = momentIn(times.zone, new Date(since));
  const did = done ? `Taken out of the queue: ${done}.` : "Taken out of the queue.";
  const why = `The customer has waited since ${from.day}, ${from.time}.`;
  const words = [did, why, ...failed.map((problem) => `Not done: ${problem}`)].join(" ");
  await account.send(id, privateNote(settings, OPENED, words), `${OPENED}-note:${id}:${period}`);
  await note(db, id, `${OPENED}-${period}`, { at: now.toISOString(), did, why });
  log.info(`Conversation ${id} has waited for the opening. ${did}`);
};

/**
 * Takes a conversation out of the queue if the business is open now: its hours may have changed in the meantime.
 * Also done after the feature was switched off, because the customer has been promised an answer.
 */
const open = async ({ data }: ScheduledPayload, deps: UseCaseDeps) => {
  const { db, settings, now } = deps;
  const id = String(data["conversation_id"]);
  const waiting = await queuedConversationsOf(db, id);
  if (!waiting) return;
  const times = timesOf(settings);
  const opening = settings.afterHours.isOn ? openingOf(deps, times) : now;
  if (opening > now) return enqueue(deps, id, { since: new Date(waiting.since), opening, channel: waiting.channel });
  const key = `${OPENED}:${id}:${openingKey(new Date(waiting.opening))}`;
  await oncePerKey(db, key, () => takeUp(id, waiting, times, deps));
  await dequeue(db, id);
};

/** Outside business hours: tells the customer when the business opens, and takes the conversation up then. */
export const afterHours: UseCase<EventPayload | ScheduledPayload> = {
  name: "after-hours",
  run: (event, deps) => (event.event === "onScheduledEvent" ? open(event, deps) : turnAway(event, deps)),
};
