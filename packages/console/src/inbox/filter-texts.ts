import type { InboxFilter, InboxOrder, InboxStatus, Workspace } from "@parley/contract";
import { createNames } from "../workspace/workspace.ts";
import { inboxMessages as texts } from "./messages.ts";

/** -> the name and the value of a filter by a property @shape property: `<name>:<value>` */
export const splitProperty = (property: string): { readonly name: string; readonly value: string } => {
  const end = property.indexOf(":");
  return { name: property.slice(0, end), value: property.slice(end + 1) };
};

export const STATUS_TEXTS: Readonly<Record<InboxStatus, string>> = {
  open: texts.statusOpen,
  new: texts.statusNew,
  assigned: texts.statusAssigned,
  resolved: texts.statusResolved,
  all: texts.statusAll,
};

export const ORDER_TEXTS: Readonly<Record<InboxOrder, string>> = {
  newest_activity: texts.newestActivity,
  oldest_activity: texts.oldestActivity,
  newest: texts.newest,
  oldest: texts.oldest,
  priority: texts.byPriority,
  waiting: texts.byWaiting,
};

export const priorityText = (priority: string): string => (priority === "none" ? texts.noPriority : priority);

const FILTER_MEMBERS = ["status", "agent", "group", "channel", "priority", "property", "user", "unread"] as const;
type FilterMember = (typeof FILTER_MEMBERS)[number];

interface FilterChip {
  readonly member: FilterMember;
  readonly text: string;
}

const specialOf = (id: string): string | undefined => ({ me: texts.me, none: texts.nobody, mine: texts.myGroups })[id];

/** -> a text for each member of a filter that the shown view does not have @shape base: filter of the shown view */
export const filterChips = (
  filter: InboxFilter,
  base: InboxFilter,
  workspace: Workspace,
  customer: string | undefined,
): readonly FilterChip[] => {
  const names = createNames(workspace);
  const labelOf = (name: string): string => workspace.fields.find((field) => field.name === name)?.label ?? name;
  const textOf: Readonly<Record<FilterMember, () => string>> = {
    status: () => `${texts.status}: ${STATUS_TEXTS[filter.status ?? "open"]}`,
    agent: () => `${texts.agent}: ${specialOf(filter.agent ?? "") ?? names.agent(filter.agent ?? "")}`,
    group: () => `${texts.group}: ${specialOf(filter.group ?? "") ?? names.group(filter.group ?? "")}`,
    channel: () => `${texts.topic}: ${names.topic(filter.channel ?? "")}`,
    priority: () => `${texts.priority}: ${priorityText(filter.priority ?? "")}`,
    property: () => {
      const { name, value } = splitProperty(filter.property ?? "");
      return `${labelOf(name)}: ${value}`;
    },
    user: () => `${texts.customer}: ${customer ?? texts.oneCustomer}`,
    unread: () => (filter.unread === true ? texts.unreadOnly : texts.readOnly),
  };
  return FILTER_MEMBERS.filter((member) => filter[member] !== undefined && filter[member] !== base[member]).map(
    (member) => ({ member, text: textOf[member]() }),
  );
};
