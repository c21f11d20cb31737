import type { Associations, ConversationInEvent, Message } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import { isAttended } from "./lib/assignment.ts";
import { botMessage, messageMarkOf, privateNote, messageText } from "./lib/bot-message.ts";
import { quickReplies } from "./lib/quick-replies.ts";
import {
  consentOf,
  REFUSAL_ANSWER,
  CONSENT_ANSWER,
  LEAD_OUTCOME_KEY,
  outcomeEntry,
  outcomeWords,
  type LeadOutcome,
  answerAt,
  closeLead,
  saveLeadAnswer,
  openLead,
  questionAt,
  markOfQuestion,
  setAsked,
  unasked,
  type LeadQuestion,
} from "./lib/lead-consent.ts";
import { note } from "./lib/decision-log.ts";
import { isSame, leadsIn, missingFields, namesOf, type LeadField } from "./lib/lead-detection.ts";
import { questionOf } from "./lib/quick-replies.ts";
import { oncePerKey } from "./lib/records.ts";
import { renderMessage } from "./lib/template.ts";
import { isChosen } from "./lib/topic-welcomes.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf, type TemplateSubject } from "./lib/template-view.ts";

/** The customer and the topic. */
type Whom = Required<Pick<Associations, "user" | "channel">>;

const textOf = ({ actor_type, message_parts }: Message): string =>
  actor_type === "user" ? message_parts.flatMap(({ text }) => (text ? [text.content] : [])).join("\n") : "";

/** Contact data in a customer's message, without the business's own. */
const foundIn = (message: Message, { business, leads }: UseCaseDeps["settings"]): LeadField[] => {
  const found = leadsIn(textOf(message), leads.country);
  if (found.length === 0) return found;
  const own = leadsIn(`${business.email} ${business.phone}`, leads.country);
  return found.filter((lead) => !own.some((one) => isSame(one, lead)));
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
async function ask(
  message: Message,
  told: ConversationInEvent,
  { user: known, channel }: Whom,
  deps: UseCaseDeps,
): Promise<void> {
  const { account, db, log, settings, now } = deps;
  if (isAttended(told)) return;
  const found = foundIn(message, settings);
  if (missingFields(found, known).length === 0) return;
  const id = told.conversation_id;
  const { id: message_id, created_time } = message;
  await oncePerKey(db, `leads:${message_id}`, async () => {
    const present = await account.user(known.id);
    if (!present.ok) return log.error(`The customer of conversation ${id} can't be looked at (${present.status}).`);
    const leads = await unasked(db, known.id, missingFields(found, present.body));
    if (leads.length === 0) return;
    const text = questionText(leads, { user: present.body, channel, conversation: told }, deps);
    if (!text)
      return log.info(`The setting "Question before it is kept" says nothing for conversation ${id}: no question.`);

    const mark = markOfQuestion(message_id);
    const opened = await openLead(db, id, { leads, message_id, created_time });
    if (opened === "busy") return;
    if (opened === "new" || !(await account.hasMessage(id, (one) => messageMarkOf(one) === mark))) {
      const sent = await account.send(
        id,
        botMessage(settings, mark, text, quickReplies([CONSENT_ANSWER, REFUSAL_ANSWER])),
        mark,
      );
      if (!sent.ok) {
        await closeLead(db, id, message_id);
        return log.error(`Conversation ${id} takes no question (${sent.status}).`);
      }
    }
    await note(db, id, mark, {
      at: now.toISOString(),
      did: `Asked whether this may be kept: ${namesOf(leads)}.`,
      why: "The customer wrote it, and it isn't known yet.",
    });
    await setAsked(db, known.id, leads);
    log.info(`Asked the customer of conversation ${id} whether what was found may be kept.`);
  });
}

/** Stores the contact data that the customer has agreed to in fields that are empty. */
async function keep(leads: readonly LeadField[], user_id: string, { account, log }: UseCaseDeps): Promise<LeadOutcome> {
  const failed = (status: string): LeadOutcome => {
    log.error(`What customer ${user_id} lets be kept can't be kept (${status}).`);
    return { agrees: true, kept: [], standing: [], failed: leads };
  };
  const present = await account.user(user_id);
  if (!present.ok) return failed(present.status);
  const empty = missingFields(leads, present.body);
  if (empty.length > 0) {
    const changed = await account.updateUser(
      user_id,
      Object.fromEntries(empty.map(({ field, value }) => [field, value])),
    );
    if (!changed.ok) return failed(changed.status);
  }
  // A field that already has the value was written by an earlier attempt.
  const isKept = (lead: LeadField) =>
    empty.includes(lead) || isSame(lead, { field: lead.field, value: present.body[lead.field] ?? "" });
  return {
    agrees: true,
    kept: leads.filter(isKept),
    standing: leads.filter((lead) => !isKept(lead)),
    failed: [],
  };
}

/** Processes the customer's answer to the open question, if there is one. */
async function settle(message: Message, agrees: boolean, question: LeadQuestion, user_id: string, deps: UseCaseDeps) {
  const { account, db, log, settings, now } = deps;
  const id = message.conversation_id;
  const outcome = agrees ? await keep(question.leads, user_id, deps) : { agrees, kept: [], standing: [], failed: [] };
  const words = outcomeWords(outcome);
  if (words) {
    const sent = await account.send(id, privateNote(settings, "lead-note", words), `lead-note:${message.id}`);
    if (!sent.ok) log.error(`Conversation ${id} takes no note (${sent.status}).`);
  }
  await note(db, id, `${LEAD_OUTCOME_KEY}${message.id}`, outcomeEntry(outcome, now.toISOString()));
  const kept = outcome.kept.map(({ field }) => field);
  await saveLeadAnswer(db, message.id, { message_id: question.message_id, kept });
}

async function answer(message: Message, agrees: boolean, user_id: string, deps: UseCaseDeps): Promise<void> {
  const { account, db, tell } = deps;
  const id = message.conversation_id;
  if (!(await answerAt(db, message.id))) {
    const question = await questionAt(db, id);
    if (!question || question.created_time > message.created_time) return;
    const mark = markOfQuestion(question.message_id);
    if (
      (questionOf(await account.latestMessages(id), message, agrees ? CONSENT_ANSWER : REFUSAL_ANSWER) ?? mark) !== mark
    )
      return;
    await settle(message, agrees, question, user_id, deps);
  }
  const settled = await answerAt(db, message.id);
  if (!settled) return;
  await closeLead(db, id, settled.message_id);
  for (const field of settled.kept) tell({ kind: "lead", conversation_id: id, user_id, field });
}

/** Stores email addresses and phone numbers that customers write with the user, if they agree and the field is empty. */
export const leads: UseCase<EventPayload> = {
  name: "leads",
  async run({ data }, deps) {
    const told = data.conversation ?? data.message;
    const { channel, user } = data.associations;
    const { leads: wanted, topics } = deps.settings;
    if (!wanted.isOn || !told || !channel || !user || !isChosen(channel, topics)) return;
    for (const message of told.messages ?? []) {
      const agrees = consentOf(messageText(message) ?? "");
      if (agrees === undefined) await ask(message, told, { user, channel }, deps);
      else await answer(message, agrees, user.id, deps);
    }
  },
};
