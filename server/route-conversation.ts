import type { Message } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import { applyAssignment, isAssignable, assignmentPlanOf, isAttended } from "./lib/assignment.ts";
import { privateNote, messageText } from "./lib/bot-message.ts";
import { isConsentAnswer } from "./lib/lead-consent.ts";
import { isRatingAnswer } from "./lib/csat-answer.ts";
import { ruleInputOf, customerText, firstMatchingRule, type RuleMatch } from "./lib/rule-matching.ts";
import { recordDecision } from "./lib/decision-log.ts";
import { problemsText } from "./lib/setting-lines.ts";
import { findChoice, parseMenu } from "./lib/menu.ts";
import { oncePerKey } from "./lib/records.ts";
import { parseRules } from "./lib/rules.ts";
import { isTopicEnabled } from "./lib/topic-welcomes.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";

const ROUTING_NOTE_MARK = "rule";

/** Messages in the customer's own words. An answer to a question of the bot has the bot's words. */
const freeTextMessages = async (
  messages: readonly Message[],
  { db, settings }: UseCaseDeps,
): Promise<readonly Message[]> => {
  const { choices } = parseMenu(settings.menu);
  const freeText: Message[] = [];
  for (const message of messages) {
    const text = messageText(message) ?? "";
    if (findChoice(choices, text) || isConsentAnswer(text)) continue;
    if (!(await isRatingAnswer(db, message))) freeText.push(message);
  }
  return freeText;
};

/** Applies the rule unless the conversation has been assigned in the meantime. */
const applyRule = async (id: string, { rule, why }: RuleMatch, { account, db, log, settings, now }: UseCaseDeps) => {
  const present = await account.conversation(id);
  if (!present.ok)
    return log.error(`Conversation ${id} not routed: it can't be read from the account (${present.status}).`);
  const plan = await assignmentPlanOf(rule, present.body, account);
  if (!isAssignable(present.body, plan.steps)) return;
  const { done, failed } = await applyAssignment(account, id, plan);
  for (const problem of failed)
    log.error(
      `Line ${rule.line} of the routing rules not fully applied to conversation ${id}: ${problem} Correct the rule on the installation page.`,
    );
  const did = done ? `Routed: ${done}.` : "Nothing was routed.";
  const notDone = failed.map((problem) => `Not done: ${problem}`);
  const sent = await account.send(
    id,
    privateNote(settings, ROUTING_NOTE_MARK, [`${did} ${why}`, ...notDone].join("\n")),
    `routed:${id}`,
  );
  if (!sent.ok) log.error(`Private note not added to conversation ${id}: the account refused it (${sent.status}).`);
  await recordDecision(db, id, ROUTING_NOTE_MARK, { at: now.toISOString(), did: [did, ...notDone].join(" "), why });
  log.info(`Conversation ${id}: ${did} ${why}`);
};

/**
 * Assigns a conversation by the first rule that matches the customer's messages, until one has matched.
 * A conversation with a group or an agent is left unchanged: the customer's menu choice or a person has decided.
 */
export const routeConversation: UseCase<EventPayload> = {
  name: "route",
  title: "Routing",
  async run({ data }, deps) {
    const { settings, log } = deps;
    const { channel, user } = data.associations;
    const conversation = data.conversation ?? data.message;
    if (!conversation || !channel || !isTopicEnabled(channel, settings.topics)) return;
    if (isAttended(conversation) || conversation.assigned_group_id) return;
    const messages = conversation.messages?.filter(({ actor_type }) => actor_type === "user") ?? [];
    if (messages.length === 0) return;

    const { rules, problems } = parseRules(settings.rules);
    if (problems.length > 0)
      log.warn(
        `Routing rules with errors are ignored. Correct them on the installation page.\n${problemsText(problems)}`,
      );
    const free = await freeTextMessages(messages, deps);
    const match = firstMatchingRule(rules, ruleInputOf({ user, channel }, customerText(free)));
    if (!match) return;
    const id = conversation.conversation_id;
    await oncePerKey(deps.db, `routed:${id}`, () => applyRule(id, match, deps));
  },
};
