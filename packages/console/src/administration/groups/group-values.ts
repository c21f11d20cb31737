import type { Group, GroupSetting } from "@parley/contract";
import { VALUES } from "../../contract-values.ts";
import { ADMIN_VALUES } from "../contract-values.ts";
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

/** Whether the service itself assigns conversations by a routing. */
export const isAutomatic = (routing: Routing): boolean => routing === "load" || routing === "turn";

/** -> the routing of a group */
export const routingOf = ({
  routing_type,
  routing_logic,
}: Pick<GroupSetting, "routing_type" | "routing_logic">): Routing => {
  if (routing_type === "DISABLED" || routing_logic === "DISABLED") return "off";
  if (routing_type === "OCR") return "external";
  return routing_logic === "LOAD" ? "load" : "turn";
};

/** Values of the form of a group. */
export interface GroupValues {
  readonly name: string;
  readonly description: string;
  readonly routing: Routing;
  /** The routing takes agents who are signed in only. */
  readonly isForSignedIn: boolean;
  /** Its id in the organisation; if it is empty, the service creates an id. */
  readonly orgId: string;
}

export const emptyGroup: GroupValues = { name: "", description: "", routing: "load", isForSignedIn: true, orgId: "" };

export const groupValuesOf = (group: Pick<Group, "name" | "description"> & GroupSetting): GroupValues => ({
  name: group.name,
  description: group.description ?? "",
  routing: routingOf(group),
  isForSignedIn: group.signed_in_agents_only ?? false,
  orgId: group.org_id ?? "",
});

/** @shape id: undefined for a new group */
export const groupSettingOf = (
  id: string | undefined,
  { name, description, routing, isForSignedIn, orgId }: GroupValues,
): GroupSetting => ({
  ...(id !== undefined && { id }),
  name: name.trim(),
  description,
  ...SETTINGS[routing],
  signed_in_agents_only: isForSignedIn,
  ...(orgId.trim() !== "" && { org_id: orgId.trim() }),
});

const { name_characters: nameMax, org_id_characters: orgIdMax } = ADMIN_VALUES.accountLimits;

const nameProblem = (name: string, others: readonly GroupSetting[]): string | undefined => {
  if (name === "") return texts.nameMissing;
  if (name.length > nameMax) return texts.nameTooLong(nameMax);
  return others.some((other) => other.name === name) ? texts.nameTaken : undefined;
};

const orgIdProblem = (orgId: string, group: GroupSetting | undefined, others: readonly GroupSetting[]) => {
  if (orgId === "") return group === undefined ? undefined : texts.orgIdMissing;
  if (orgId.length > orgIdMax) return texts.orgIdTooLong(orgIdMax);
  return others.some((other) => other.org_id === orgId) ? texts.orgIdTaken : undefined;
};

/** @shape group: the present group; undefined for a new group; groups: all */
export const groupProblemsOf = (
  { name, description, orgId }: GroupValues,
  group: GroupSetting | undefined,
  groups: readonly GroupSetting[],
): Partial<Record<keyof GroupValues, string>> => {
  const others = groups.filter(({ id }) => id !== group?.id);
  const nameFault = nameProblem(name.trim(), others);
  const orgIdFault = orgIdProblem(orgId.trim(), group, others);
  return {
    ...(nameFault !== undefined && { name: nameFault }),
    ...(description.length > VALUES.limits.text_characters && { description: texts.descriptionTooLong }),
    ...(orgIdFault !== undefined && { orgId: orgIdFault }),
  };
};
