import type { Message } from "@parley/contract";
import type { EventPayload } from "@parley/framework/sdk";
import { carryOutAssignment, isFree, assignmentPlanOf, isAttended } from "./lib/assignment.ts";
import { privateNote, messageText } from "./lib/bot-message.ts";
import { isConsentAnswer } from "./lib/lead-consent.ts";
import { isRatingAnswer } from "./lib/csat-answer.ts";
import { factsOf, saidIn, firstRule, type RuleMatch } from "./lib/rule-matching.ts";
import { note } from "./lib/decision-log.ts";
import { textOfProblems } from "./lib/setting-lines.ts";
import { choiceOf, parseMenu } from "./lib/menu.ts";
import { oncePerKey } from "./lib/records.ts";
import { parseRules } from "./lib/rules.ts";
import { isChosen } from "./lib/topic-welcomes.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";

const MARK = "rule";

/** Messages in the customer's own words. An answer to a question of the bot has the bot's words. */
const freeOf = async (messages: readonly Message[], { db, settings }: UseCaseDeps): Promise<readonly Message[]> => {
  const { choices } = parseMenu(settings.menu);
  const free: Message[] = [];
  for (const message of messages) {
    const words = messageText(message) ?? "";
    if (choiceOf(choices, words) || isConsentAnswer(words)) continue;
    if (!(await isRatingAnswer(db, message))) free.push(message);
  }
  return free;
};

/** Applies the rule unless the conversation has been assigned in the meantime. */
const follow = async (id: string, { rule, why }: RuleMatch, { account, db, log, settings, now }: UseCaseDeps) => {
  const present = await account.conversation(id);
  if (!present.ok) return log.error(`Conversation ${id} can't be routed (${present.status}).`);
  const plan = await assignmentPlanOf(rule, present.body, account);
  if (!isFree(present.body, plan.parts)) return;
  const { done, failed } = await carryOutAssignment(account, id, plan);
  for (const problem of failed) log.error(`Line ${rule.line} of the rules, conversation ${id}: ${problem}`);
  const did = done ? `Routed: ${done}.` : "Nothing was routed.";
  const notDone = failed.map((problem) => `Not done: ${problem}`);
  const sent = await account.send(
    id,
    privateNote(settings, MARK, [`${did} ${why}`, ...notDone].join("\n")),
    `routed:${id}`,
  );
  if (!sent.ok) log.error(`Conversation ${id} takes no private note (${sent.status}).`);
  await note(db, id, MARK, { at: now.toISOString(), did: [did, ...notDone].join(" "), why });
  log.info(`Conversation ${id}: ${did} ${why}`);
};

/**
 * Assigns a conversation by the first rule that matches the customer's messages, until one has matched.
 * A conversation with a group or an agent is left unchanged: the customer's menu choice or a person has decided.
 */
export const route: UseCase<EventPayload> = {
  name: "route",
  async run({ data }, deps) {
    const { settings, log } = deps;
    const { channel, user } = data.associations;
    const conversation = data.conversation ?? data.message;
    if (!conversation || !channel || !isChosen(channel, settings.topics)) return;
    if (isAttended(conversation) || conversation.assigned_group_id) return;
    const messages = conversation.messages?.filter(({ actor_type }) => actor_type === "user") ?? [];
    if (messages.length === 0) return;

    const { rules, problems } = parseRules(settings.rules);
    if (problems.length > 0) log.warn(`Rules that can't be read are left out. ${textOfProblems(problems)}`);
    const free = await freeOf(messages, deps);
    const fit = firstRule(rules, factsOf({ user, channel }, saidIn(free)));
    if (!fit) return;
    const id = conversation.conversation_id;
    await oncePerKey(deps.db, `routed:${id}`, () => follow(id, fit, deps));
  },
};
