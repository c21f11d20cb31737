import type { NewReplyTemplate, ReplyPlaceholder, ReplyTemplate, SessionAgent } from "@parley/contract";
import type { SchemaForm } from "../forms/schema-form.ts";
import { isAtLeast } from "../workspace/roles.ts";
import { TEMPLATE_SCHEMA } from "./contract-values.ts";
import { templateMessages as texts } from "./messages.ts";

/** Values of the form of a template. */
export interface TemplateValues {
  readonly name: string;
  readonly shortcut: string;
  readonly text: string;
  readonly is_shared: boolean;
}

/** The form of a template. @shape isFixed: the agent may only read it */
export const templateForm = (isFixed: boolean): SchemaForm<NewReplyTemplate, TemplateValues> => ({
  schema: TEMPLATE_SCHEMA,
  members: {
    name: { label: texts.name, missing: texts.nameMissing, tooLong: texts.nameTooLong, isFixed },
    shortcut: { label: texts.shortcut, help: texts.shortcutHelp, invalid: texts.shortcutInvalid, isFixed },
    text: { label: texts.text, lines: 7, missing: texts.textMissing, tooLong: texts.textTooLong, isFixed },
    is_shared: { label: texts.share },
  },
});

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
