import type { Group, GroupSetting } from "@parley/contract";
import { groupMessages as texts } from "./messages.ts";

/** How the conversations of a group get their agents: type and logic of the API, which belong together. */
export const ROUTINGS = ["load", "turn", "off", "external"] as const;
export type Routing = (typeof ROUTINGS)[number];

const SETTINGS = {
  load: { routing_type: "INTELLIASSIGN", routing_logic: "LOAD" },
  turn: { routing_type: "INTELLIASSIGN", routing_logic: "ROUND_ROBIN" },
  off: { routing_type: "DISABLED" },
  external: { routing_type: "OCR", routing_logic: "OCR" },
} as const satisfies Record<Routing, Pick<GroupSetting, "routing_type" | "routing_logic">>;

/** -> the routing of a group */
export const routingOf = ({
  routing_type,
  routing_logic,
}: Pick<GroupSetting, "routing_type" | "routing_logic">): Routing => {
  if (routing_type === "DISABLED" || routing_logic === "DISABLED") return "off";
  if (routing_type === "OCR") return "external";
  return routing_logic === "LOAD" ? "load" : "turn";
};

/** What the form of a group holds. */
export interface GroupValues {
  readonly name: string;
  readonly description: string;
  readonly routing: Routing;
}

export const emptyGroup: GroupValues = { name: "", description: "", routing: "load" };

export const valuesOf = (group: Pick<Group, "name" | "description"> & GroupSetting): GroupValues => ({
  name: group.name,
  description: group.description ?? "",
  routing: routingOf(group),
});

/** @shape id: undefined for a new group */
export const settingOf = (id: string | undefined, { name, description, routing }: GroupValues): GroupSetting => ({
  ...(id !== undefined && { id }),
  name: name.trim(),
  description,
  ...SETTINGS[routing],
});

/**
 * The changed members of a group, with its present name, which a setting must have: what others have changed meanwhile stays.
 * @shape before: the values that the form began with; present: the group as it is now
 */
export const changeOf = (present: GroupSetting, before: GroupValues, values: GroupValues): GroupSetting => {
  const { name, description, ...routing } = settingOf(present.id, values);
  const { id: _, ...changedRouting } = routing;
  return {
    ...(present.id !== undefined && { id: present.id }),
    name: values.name === before.name ? present.name : name,
    ...(values.description !== before.description && description !== undefined && { description }),
    ...(values.routing !== before.routing && changedRouting),
  };
};

/** The contract's limit of a name. @units characters */
const NAME_MAX = 255;

/** @shape others: names of the other groups */
export const problemsOf = (
  { name }: GroupValues,
  others: readonly string[],
): Partial<Record<keyof GroupValues, string>> => {
  const trimmed = name.trim();
  if (trimmed === "") return { name: texts.nameMissing };
  if (trimmed.length > NAME_MAX) return { name: texts.nameTooLong };
  return others.includes(trimmed) ? { name: texts.nameTaken } : {};
};
