import type { Associations, ConversationInEvent, Message } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import { isAttended } from "./lib/assignment.ts";
import { botMessage, messageMarkOf, privateNote, messageText } from "./lib/bot-message.ts";
import { quickReplies } from "./lib/quick-replies.ts";
import {
  parseConsent,
  REFUSAL_ANSWER,
  CONSENT_ANSWER,
  LEAD_OUTCOME_PREFIX,
  outcomeLogEntry,
  outcomeText,
  type LeadOutcome,
  findConsentAnswer,
  closeConsentQuestion,
  saveConsentAnswer,
  openConsentQuestion,
  findConsentQuestion,
  consentQuestionMark,
  recordAskedLeads,
  withoutAskedLeads,
  type ConsentQuestion,
} from "./lib/lead-consent.ts";
import { recordDecision } from "./lib/decision-log.ts";
import { isSameLead, findLeads, missingLeads, leadsText, type LeadField } from "./lib/lead-detection.ts";
import { questionMarkOf } from "./lib/quick-replies.ts";
import { oncePerKey } from "./lib/records.ts";
import { renderMessage } from "./lib/template.ts";
import { isTopicEnabled } from "./lib/topic-welcomes.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf, type TemplateSubject } from "./lib/template-view.ts";

/** The customer and the topic. */
type LeadSubject = Required<Pick<Associations, "user" | "channel">>;

const textOf = ({ actor_type, message_parts }: Message): string =>
  actor_type === "user" ? message_parts.flatMap(({ text }) => (text ? [text.content] : [])).join("\n") : "";

/** Contact data in a customer's message, without the business's own. */
const leadsInMessage = (message: Message, { business, leads }: UseCaseDeps["settings"]): LeadField[] => {
  const found = findLeads(textOf(message), leads.country);
  if (found.length === 0) return found;
  const businessLeads = findLeads(`${business.email} ${business.phone}`, leads.country);
  return found.filter((lead) => !businessLeads.some((one) => isSameLead(one, lead)));
};

const questionText = (
  leads: readonly LeadField[],
  subject: TemplateSubject,
  { settings, now }: UseCaseDeps,
): string => {
  const [email, phone] = (["email", "phone"] as const).map(
    (field) => leads.find((lead) => lead.field === field)?.shown,
  );
  const lead = { value: leads.map(({ shown }) => shown).join(", "), email, phone };
  return renderMessage(
    settings.leads.consent,
    "Question before it is kept",
    templateViewOf(settings, subject, now, { lead }),
  );
};

/** Asks the customer for consent to store the contact data. */
async function askForConsent(
  message: Message,
  conversation: ConversationInEvent,
  { user, channel }: LeadSubject,
  deps: UseCaseDeps,
): Promise<void> {
  const { account, db, log, settings, now } = deps;
  if (isAttended(conversation)) return;
  const found = leadsInMessage(message, settings);
  if (missingLeads(found, user).length === 0) return;
  const id = conversation.conversation_id;
  const { id: message_id, created_time } = message;
  await oncePerKey(db, `leads:${message_id}`, async () => {
    const present = await account.user(user.id);
    if (!present.ok)
      return log.error(
        `Lead capture skipped for conversation ${id}: the customer can't be read from the account (${present.status}).`,
      );
    const leads = await withoutAskedLeads(db, user.id, missingLeads(found, present.body));
    if (leads.length === 0) return;
    const text = questionText(leads, { user: present.body, channel, conversation: conversation }, deps);
    if (!text)
      return log.info(
        `Consent question not sent to conversation ${id}: its setting renders no text for this customer.`,
      );

    const mark = consentQuestionMark(message_id);
    const opened = await openConsentQuestion(db, id, { leads, message_id, created_time });
    if (opened === "busy") return;
    if (opened === "new" || !(await account.hasMessage(id, (one) => messageMarkOf(one) === mark))) {
      const sent = await account.send(
        id,
        botMessage(settings, mark, text, quickReplies([CONSENT_ANSWER, REFUSAL_ANSWER])),
        mark,
      );
      if (!sent.ok) {
        await closeConsentQuestion(db, id, message_id);
        return log.error(`Consent question not sent to conversation ${id}: the account refused it (${sent.status}).`);
      }
    }
    await recordDecision(db, id, mark, {
      at: now.toISOString(),
      did: `Asked whether this may be kept: ${leadsText(leads)}.`,
      why: "The customer wrote it, and it isn't known yet.",
    });
    await recordAskedLeads(db, user.id, leads);
    log.info(`Asked the customer of conversation ${id} for consent to save contact data.`);
  });
}

/** Stores the contact data that the customer has agreed to in fields that are empty. */
async function saveLeads(
  leads: readonly LeadField[],
  user_id: string,
  { account, log }: UseCaseDeps,
): Promise<LeadOutcome> {
  const failed = (status: string): LeadOutcome => {
    log.error(`Contact data of user ${user_id} not saved: the account refused it (${status}).`);
    return { agrees: true, saved: [], skipped: [], failed: leads };
  };
  const present = await account.user(user_id);
  if (!present.ok) return failed(present.status);
  const empty = missingLeads(leads, present.body);
  if (empty.length > 0) {
    const changed = await account.updateUser(
      user_id,
      Object.fromEntries(empty.map(({ field, value }) => [field, value])),
    );
    if (!changed.ok) return failed(changed.status);
  }
  // A field that already has the value was written by an earlier attempt.
  const isSaved = (lead: LeadField) =>
    empty.includes(lead) || isSameLead(lead, { field: lead.field, value: present.body[lead.field] ?? "" });
  return {
    agrees: true,
    saved: leads.filter(isSaved),
    skipped: leads.filter((lead) => !isSaved(lead)),
    failed: [],
  };
}

/** Processes the customer's answer to an open question. */
async function processAnswer(
  message: Message,
  agrees: boolean,
  question: ConsentQuestion,
  user_id: string,
  deps: UseCaseDeps,
) {
  const { account, db, log, settings, now } = deps;
  const id = message.conversation_id;
  const outcome = agrees
    ? await saveLeads(question.leads, user_id, deps)
    : { agrees, saved: [], skipped: [], failed: [] };
  const noteText = outcomeText(outcome);
  if (noteText) {
    const sent = await account.send(id, privateNote(settings, "lead-note", noteText), `lead-note:${message.id}`);
    if (!sent.ok) log.error(`Private note not added to conversation ${id}: the account refused it (${sent.status}).`);
  }
  await recordDecision(db, id, `${LEAD_OUTCOME_PREFIX}${message.id}`, outcomeLogEntry(outcome, now.toISOString()));
  const kept = outcome.saved.map(({ field }) => field);
  await saveConsentAnswer(db, message.id, { message_id: question.message_id, kept });
}

async function handleAnswer(message: Message, agrees: boolean, user_id: string, deps: UseCaseDeps): Promise<void> {
  const { account, db, emit } = deps;
  const id = message.conversation_id;
  if (!(await findConsentAnswer(db, message.id))) {
    const question = await findConsentQuestion(db, id);
    if (!question || question.created_time > message.created_time) return;
    const mark = consentQuestionMark(question.message_id);
    if (
      (questionMarkOf(await account.latestMessages(id), message, agrees ? CONSENT_ANSWER : REFUSAL_ANSWER) ?? mark) !==
      mark
    )
      return;
    await processAnswer(message, agrees, question, user_id, deps);
  }
  const recordedAnswer = await findConsentAnswer(db, message.id);
  if (!recordedAnswer) return;
  await closeConsentQuestion(db, id, recordedAnswer.message_id);
  for (const field of recordedAnswer.kept) emit({ kind: "lead", conversation_id: id, user_id, field });
}

/** Stores email addresses and phone numbers that customers write with the user, if they agree and the field is empty. */
export const captureLeads: UseCase<EventPayload> = {
  name: "leads",
  title: "Lead capture",
  async run({ data }, deps) {
    const conversation = data.conversation ?? data.message;
    const { channel, user } = data.associations;
    const { leads: leadSettings, topics } = deps.settings;
    if (!leadSettings.isOn || !conversation || !channel || !user || !isTopicEnabled(channel, topics)) return;
    for (const message of conversation.messages ?? []) {
      const agrees = parseConsent(messageText(message) ?? "");
      if (agrees === undefined) await askForConsent(message, conversation, { user, channel }, deps);
      else await handleAnswer(message, agrees, user.id, deps);
    }
  },
};
