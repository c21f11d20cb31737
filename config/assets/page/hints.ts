import { parseOutboundEvents } from "../../../server/lib/outbound-messages.ts";
import { templatePreview, templatePreviews } from "../../../server/lib/preview.ts";
import { parseReplyTemplates } from "../../../server/lib/reply-templates.ts";
import { dryRun } from "../../../server/lib/rule-matching.ts";
import type { Settings } from "../../../server/lib/settings.ts";
import { parseTopicWelcomes } from "../../../server/lib/topic-welcomes.ts";

/** Text under a field: a preview of the message, then the description. */
interface Hint {
  /** The parameter's description, which the hint replaces. */
  readonly description: string;
  readonly preview: (settings: Settings) => string | undefined;
}

const createHint = (of: (settings: Settings) => string, description: string): Hint => ({
  description,
  preview: (settings) => templatePreview(of(settings), settings),
});

export const HINTS = {
  welcome: createHint(
    ({ welcome }) => welcome,
    "Sent once, at the start of a conversation. Placeholders: {{user.first_name}}, {{channel.name}}, {{bot.name}}, {{business.email}}, {{time.of_day}}. What isn't known of a customer stays empty; {{#if user.first_name}} … {{/if}} is for customers with a name.",
  ),
  topic_welcomes: {
    description: "One a line: Topic => message. Other topics get the message above.",
    preview: (settings) =>
      templatePreviews(
        parseTopicWelcomes(settings.topicWelcomes).welcomes.map(({ topic, welcome }) => ({
          name: topic,
          template: welcome,
        })),
        settings,
      ),
  },
  welcome_back: createHint(
    ({ welcomeBack }) => welcomeBack,
    "For customers who have written before. {{last.topic}} is the topic of their last conversation. Empty: the same as for all.",
  ),
  choice_reply: createHint(
    ({ choiceReply }) => choiceReply,
    "{{choice.label}} and {{choice.group}} say what was chosen. Empty: no answer.",
  ),
  lead_consent: createHint(({ leads }) => leads.consent, "{{lead.value}} is what was found."),
  away_message: createHint(
    ({ afterHours }) => afterHours.awayMessage,
    "{{opening.day}} and {{opening.time}} say when you are back.",
  ),
  opening_message: createHint(
    ({ afterHours }) => afterHours.openingMessage,
    "To each customer who has waited. Empty: no message.",
  ),
  nudge_message: createHint(({ followUp }) => followUp.nudge, "Placeholders as in the welcome message."),
  outbound_events: {
    description:
      "What an event sends to the customer, one a line: event => template (language): value, value. Such as: order.shipped => order_shipped (en): {{user.first_name}}, {{data.number}}. Behind it, where the template has them: ; header: value ; image: https address ; button: value.",
    preview: (settings) =>
      templatePreviews(
        parseOutboundEvents(settings.outbound.events).events.map(({ event, template, values }) => ({
          name: `${event} (${template})`,
          template: values.join(", "),
        })),
        settings,
      ),
  },
  reply_templates: {
    description:
      "Beside a conversation, one a line: Name => text. Placeholders as in the welcome message, and {{agent.first_name}}.",
    preview: (settings) =>
      templatePreviews(
        parseReplyTemplates(settings.replyTemplates).templates.map(({ name, text }) => ({ name, template: text })),
        settings,
      ),
  },
  csat_question: createHint(({ csat }) => csat.question, "Placeholders as in the welcome message."),
} as const satisfies Readonly<Record<string, Hint>>;

/** Describes what the rules would do with a message. */
export const dryRunHint = (text: string, { rules }: Settings): string =>
  text.trim() === "" ? DRY_RUN_PROMPT : dryRun(rules, { text });
export const DRY_RUN_PROMPT = "Write what a customer might write: the answer says where it would go.";

export const settingHintOf = (key: keyof typeof HINTS, settings: Settings): string => {
  const { description, preview }: Hint = HINTS[key];
  return [preview(settings), description].filter(Boolean).join("\n\n");
};
