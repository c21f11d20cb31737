import type { Conversation, ConversationInEvent, Message } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import { applyAssignment, assignmentPlanOf, isAttended } from "./lib/assignment.ts";
import { botMessage, messageMarkOf, privateNote, messageText } from "./lib/bot-message.ts";
import { quickReplies } from "./lib/quick-replies.ts";
import {
  findRatingAnswer,
  interactionKey,
  RATING_CLICK_RECORD,
  hasLaterMessages,
  shouldAskForRating,
  CSAT_QUESTION_MARK,
  questionKey,
  type RatingQuestion,
  RATING_POINTS,
  parseRating,
} from "./lib/csat-answer.ts";
import { recordDecision } from "./lib/decision-log.ts";
import { claimRecord, findRecord, RECORD_TTL_SECONDS, oncePerKey, putRecord } from "./lib/records.ts";
import { renderMessage } from "./lib/template.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf } from "./lib/template-view.ts";

const THANKS_MESSAGE = "Thank you for your answer.";
const LOW_RATING_MESSAGE = "Thank you for your answer. We will look at this again.";

const askForRating = async (
  conversation: ConversationInEvent,
  { user, channel }: EventPayload["data"]["associations"],
  { account, db, log, settings, now }: UseCaseDeps,
) => {
  const { conversation_id: id, interaction_id, assigned_agent_id: agent } = conversation;
  await oncePerKey(db, interactionKey(interaction_id), async () => {
    if (!shouldAskForRating(await account.latestMessages(id), interaction_id)) return;
    const view = templateViewOf(settings, { user, channel, conversation }, now);
    const text = renderMessage(settings.csat.question, "Question how it went", view);
    if (!text)
      return log.info(`Rating question not sent to conversation ${id}: its setting renders no text for this customer.`);
    // Stored first, so that even an immediate answer finds it, but not over the record of an earlier question.
    if ((await findRecord<RatingQuestion>(db, questionKey(id)))?.interaction_id !== interaction_id) {
      const newQuestion: RatingQuestion = { interaction_id, asked: now.toISOString(), ...(agent && { agent }) };
      await db.set(questionKey(id), newQuestion, { ttl: RECORD_TTL_SECONDS });
    }
    const question = botMessage(settings, CSAT_QUESTION_MARK, text, quickReplies(RATING_POINTS));
    const sent = await account.send(id, question, `csat:${interaction_id}`);
    if (!sent.ok)
      return log.error(`Rating question not sent to conversation ${id}: the account refused it (${sent.status}).`);
    await recordDecision(db, id, `asked-${interaction_id}`, {
      at: now.toISOString(),
      did: "Asked the customer how it went.",
      why: "The conversation was resolved.",
    });
  });
};

/** An answer that is being processed. */
interface RatingAnswer {
  readonly message: Message;
  readonly rating: number;
  readonly question: RatingQuestion;
  readonly latest: readonly Message[];
}

/** The click of a satisfied customer has reopened the conversation: it is restored to its state before the click, including its agent. */
const resolveAgain = async ({ message, question, latest }: RatingAnswer, { account, db, log }: UseCaseDeps) => {
  const { conversation_id: id, interaction_id } = message;
  if (interaction_id === question.interaction_id || hasLaterMessages(latest, message.id)) return;
  const present = await account.conversation(id);
  if (!present.ok || isAttended(present.body)) return;
  // The interaction that the click began must not be asked about.
  await claimRecord(db, interactionKey(interaction_id), RATING_CLICK_RECORD, RECORD_TTL_SECONDS);
  const { agent } = question;
  const withAgent = agent ? await account.change(id, { status: "resolved", assigned_agent_id: agent }) : undefined;
  // The agent may have left the account or the group.
  const changed = withAgent?.ok ? withAgent : await account.change(id, { status: "resolved" });
  if (changed.ok) return;
  log.error(
    `Conversation ${id} stays open after a good rating: the account refused to resolve it (${changed.status}).`,
  );
};

/** -> description of the completed and the failed steps */
const escalate = async (present: Conversation, { account, log, settings }: UseCaseDeps): Promise<string> => {
  const { group } = settings.csat;
  const plan = await assignmentPlanOf({ ...(group && { group }), priority: "Urgent" }, present, account);
  const { done, failed } = await applyAssignment(account, present.conversation_id, plan);
  for (const problem of failed)
    log.error(
      `Conversation ${present.conversation_id} with a low rating not fully escalated: ${problem} Check the group for unhappy customers on the installation page.`,
    );
  const notDone = failed.map((problem) => `Not done: ${problem}`);
  return [done ? `Opened again: ${done}.` : "Opened again.", ...notDone].join(" ");
};

/** Escalates the conversation and states the reason. */
const escalateLowRating = async ({ message, rating, latest }: RatingAnswer, deps: UseCaseDeps) => {
  const { account, db, log, settings, now } = deps;
  const id = message.conversation_id;
  const mark = `csat-low-${message.id}`;
  if (latest.some((one) => messageMarkOf(one) === mark)) return;
  const present = await account.conversation(id);
  if (!present.ok)
    return log.error(
      `Conversation ${id} with a low rating not escalated: it can't be read from the account (${present.status}).`,
    );
  const did = isAttended(present.body) ? "An agent has it already." : await escalate(present.body, deps);
  const why = `The customer gave ${rating} of ${RATING_POINTS.length} points.`;
  const sent = await account.send(id, privateNote(settings, mark, `${why} ${did}`), `low:${message.id}`);
  if (!sent.ok) log.error(`Private note not added to conversation ${id}: the account refused it (${sent.status}).`);
  await recordDecision(db, id, `low-${message.id}`, { at: now.toISOString(), did, why });
};

/** -> whether the account has accepted the rating */
const saveRating = async (answer: RatingAnswer, deps: UseCaseDeps): Promise<boolean> => {
  const { message, rating, question } = answer;
  const { account, db, log, settings, now } = deps;
  const id = message.conversation_id;
  // Before the rating is stored: the account reports a rating with the agent who is assigned then.
  if (!question.isLow) await resolveAgain(answer, deps);
  const rated = await account.rate(
    id,
    question.isLow ? { issue_resolved: false, rating, reopen_conversation: true } : { issue_resolved: true, rating },
    `rating:${message.id}`,
  );
  if (!rated.ok) log.error(`Rating of conversation ${id} not saved: the account refused it (${rated.status}).`);
  if (!rated.ok) return false;
  const did = `Took the customer's rating: ${rating} of ${RATING_POINTS.length} points.`;
  await recordDecision(db, id, `rated-${message.id}`, { at: now.toISOString(), did });
  if (question.isLow) await escalateLowRating(answer, deps);
  const thanks = botMessage(settings, "csat-thanks", question.isLow ? LOW_RATING_MESSAGE : THANKS_MESSAGE);
  const sent = await account.send(id, thanks, `thanks:${message.id}`);
  if (!sent.ok) log.error(`Thank-you message not sent to conversation ${id}: the account refused it (${sent.status}).`);
  return true;
};

const handleMessage = async (message: Message, user_id: string, deps: UseCaseDeps) => {
  const { account, db, settings, emit } = deps;
  const { conversation_id, id } = message;
  const text = message.message_type === "normal" ? messageText(message) : undefined;
  if (text === undefined || parseRating(text) === undefined) return;
  const key = questionKey(conversation_id);
  let question = await findRecord<RatingQuestion>(db, key);
  if (!question || (question.answer !== undefined && question.answer !== id)) return;

  if (!question.isRated) {
    const latest = await account.latestMessages(conversation_id);
    const answer = findRatingAnswer(latest, question.interaction_id);
    if (answer?.id !== id) return;
    const { rating } = answer;
    // The consequence is decided once, even if the admin changes the settings meanwhile.
    if (question.answer === undefined) {
      const decided = { answer: id, rating, isLow: rating <= settings.csat.low };
      await putRecord(db, key, decided);
      question = { ...question, ...decided };
    }
    if (!(await saveRating({ message, rating, question, latest }, deps))) return;
    await putRecord(db, key, { isRated: true });
  }
  const { interaction_id, rating } = question;
  if (rating !== undefined) emit({ kind: "rated", conversation_id, interaction_id, user_id, rating });
};

/**
 * Asks the customer of a resolved conversation for a rating, once per interaction; the answer is stored as a rating. After a good one the
 * conversation is resolved again, after a low one it is open and urgent.
 */
export const requestRating: UseCase<EventPayload> = {
  name: "csat",
  title: "Rating",
  async run({ data }, deps) {
    if (!deps.settings.csat.isOn) return;
    const { associations, changes, conversation } = data;
    const message = data.message?.messages?.[0];
    if (message) return handleMessage(message, associations.user?.id ?? data.message.user_id, deps);
    if (conversation && changes?.model_changes["status"]?.[1] === "resolved")
      await askForRating(conversation, associations, deps);
  },
};
