import type { NewReplyTemplate, ReplyPlaceholder, ReplyTemplate, SessionAgent } from "@parley/contract";
import { VALUES } from "../contract-values.ts";
import { isAtLeast } from "../workspace/roles.ts";
import { templateMessages as texts } from "./messages.ts";

/** Values of the form of a template. */
export interface TemplateValues {
  readonly name: string;
  readonly shortcut: string;
  readonly text: string;
  readonly isShared: boolean;
}

/** The contract's limits of a template. @units characters */
const NAME_MAX = 80;
const SHORTCUT = /^[a-z0-9-]{1,32}$/;

export type TemplateProblems = Partial<Record<"name" | "shortcut" | "text", string>>;

export const emptyTemplate: TemplateValues = { name: "", shortcut: "", text: "", isShared: false };

export const templateValuesOf = ({ name, shortcut = "", text, is_shared }: ReplyTemplate): TemplateValues => ({
  name,
  shortcut,
  text,
  isShared: is_shared,
});

export const templateBodyOf = ({ name, shortcut, text, isShared }: TemplateValues): NewReplyTemplate => ({
  name: name.trim(),
  text,
  is_shared: isShared,
  ...(shortcut !== "" && { shortcut }),
});

/** -> why the service would refuse the values, by field */
export const templateProblemsOf = ({ name, shortcut, text }: TemplateValues): TemplateProblems => {
  const length = name.trim().length;
  const textMax = VALUES.limits.text_characters;
  return {
    ...(length === 0 && { name: texts.nameMissing }),
    ...(length > NAME_MAX && { name: texts.nameTooLong(NAME_MAX) }),
    ...(shortcut !== "" && !SHORTCUT.test(shortcut) && { shortcut: texts.shortcutInvalid }),
    ...(text.trim() === "" && { text: texts.textMissing }),
    ...(text.length > textMax && { text: texts.textTooLong(textMax) }),
  };
};

/** Names of the placeholders, as buttons show them. */
export const PLACEHOLDER_NAMES: Readonly<Record<ReplyPlaceholder, string>> = {
  "customer.first_name": texts.customerFirstName,
  "customer.last_name": texts.customerLastName,
  "customer.email": texts.customerEmail,
  "agent.first_name": texts.agentFirstName,
  "agent.last_name": texts.agentLastName,
  topic: texts.topic,
};

/** Own templates, and those of others with the role ADMIN or a higher role. */
export const mayChange = (
  { owner_id }: Pick<ReplyTemplate, "owner_id">,
  { agent_id, role }: Pick<SessionAgent, "agent_id" | "role">,
): boolean => owner_id === agent_id || isAtLeast(role, "ADMIN");
