import type { AuditEntry } from "@parley/contract";
import { formatDateTime, formatNumber } from "../../i18n/format.ts";
import { actionMessages } from "./action-messages.ts";
import { auditMessages as texts } from "./messages.ts";

/** Names that entries refer to by id. -> undefined for an unknown id */
export interface KnownNames {
  readonly agent: (id: string) => string | undefined;
  readonly group: (id: string) => string | undefined;
}

const ACTOR_TEXTS = { operator: texts.operator, platform: texts.platform, system: texts.system } as const;

export const actionText = ({ action }: Pick<AuditEntry, "action">): string => actionMessages[action];

/** -> the name of the agent or of the token, else what acted */
export const actorText = ({ actor: { type, id, name } }: Pick<AuditEntry, "actor">, known: KnownNames): string => {
  if (type !== "agent" && type !== "token") return ACTOR_TEXTS[type];
  return (type === "agent" && id !== undefined && known.agent(id)) || name || id || type;
};

const textIn = (details: AuditEntry["details"], name: string): string | undefined => {
  const value = details[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** -> the changed object by its name, as far as the entry or the account knows it, else its id */
export const subjectText = ({ action, subject, details }: AuditEntry, known: KnownNames): string => {
  const agent = action.startsWith("agent.") && subject !== undefined ? known.agent(subject) : undefined;
  return agent ?? textIn(details, "name") ?? textIn(details, "email") ?? textIn(details, "host") ?? subject ?? "";
};

type Label = keyof typeof texts;
const isLabel = (name: string): name is Label => Object.hasOwn(texts, name);
/** -> the name of a detail; one of a later release as it is */
const labelOf = (name: string): string => {
  const label = isLabel(name) ? texts[name] : name;
  return typeof label === "string" ? label : name;
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const valueText = (value: unknown, known: KnownNames): string => {
  if (Array.isArray(value)) return value.map((each) => valueText(each, known)).join(", ");
  if (isObject(value))
    return Object.entries(value)
      .map(([name, member]) => `${labelOf(name)}: ${valueText(member, known)}`)
      .join(", ");
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  if (typeof value === "number") return formatNumber(value);
  const text = String(value);
  return TIME.test(text) ? formatDateTime(text) : (known.group(text) ?? text);
};

interface AppliedChange {
  readonly change: "create" | "update" | "remove";
  readonly section: string;
  readonly name: string;
  readonly members?: readonly string[];
}
const CHANGES = { create: texts.created, update: texts.updated, remove: texts.removed } as const;

/** One line for each object that a configuration changed. */
const changeText = ({ change, section, name, members = [] }: AppliedChange): string =>
  `${section} ${name}: ${CHANGES[change]}${members.length > 0 ? ` (${members.join(", ")})` : ""}`;

/** The details of a change, one line for each. The name of the object is left out: it stands beside. */
export const detailLines = (entry: AuditEntry, known: KnownNames): readonly string[] => {
  const shown = subjectText(entry, known);
  return Object.entries(entry.details).flatMap(([name, value]) => {
    if (name === "changes" && Array.isArray(value)) return (value as AppliedChange[]).map(changeText);
    const text = valueText(value, known);
    return text === shown && ["name", "email", "host"].includes(name) ? [] : [`${labelOf(name)}: ${text}`];
  });
};
