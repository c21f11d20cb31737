import type { Group, GroupSetting } from "@parley/contract";
import { deny, type SectionRules } from "../section.ts";
import type { OrgGroup } from "../state.ts";

/**
 * The logic that goes with a type of routing where the document names none.
 * @assumed The account-level logic, which a group shows whose routing is off, is ROUND_ROBIN.
 */
const LOGIC: Readonly<Record<Group["routing_type"], Group["routing_logic"]>> = {
  OCR: "OCR",
  INTELLIASSIGN: "ROUND_ROBIN",
  DISABLED: "ROUND_ROBIN",
};

/** @spec Resources and their fields > Group object */
const routingOf = (present: OrgGroup | undefined, item: GroupSetting, place: string) => {
  const routing_type = item.routing_type ?? present?.routing_type ?? "INTELLIASSIGN";
  const kept = routing_type === present?.routing_type ? present.routing_logic : LOGIC[routing_type];
  const routing_logic = item.routing_logic ?? kept;
  if (routing_type === "OCR" && routing_logic !== "OCR")
    deny(`${place}.routing_logic`, "must be OCR where routing_type is OCR");
  return { routing_type, routing_logic };
};

export const groupRules: SectionRules<GroupSetting, OrgGroup> = {
  section: "groups",
  nameOf: ({ name }) => name,
  means: (item, { name }) => item.name === name,
  merge: (present, item, { place, newId }) => {
    const description = item.description ?? present?.description;
    return {
      id: present?.id ?? item.id?.toLowerCase() ?? newId(),
      name: item.name,
      ...(description !== undefined && { description }),
      ...routingOf(present, item, place),
      org_id: item.org_id ?? present?.org_id ?? newId(),
    };
  },
};

/** @errors INVALID_VALUE where two groups would be the same one in the suite's master record */
export const checkOrgIds = (groups: readonly OrgGroup[], items: readonly GroupSetting[] = []): void => {
  for (const [index, { org_id, name }] of items.entries()) {
    const other = groups.find((group) => group.org_id === org_id && group.name !== name);
    if (org_id !== undefined && other) deny(`groups[${index}].org_id`, `is that of the group ${other.name} already`);
  }
};
