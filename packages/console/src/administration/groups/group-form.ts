import type { GroupSetting } from "@parley/contract";
import type { SchemaForm } from "../../forms/schema-form.ts";
import { GROUP_SCHEMA } from "./contract-values.ts";
import { groupMessages as texts } from "./messages.ts";

/** How the conversations of a group get their agents: type and logic of the API, which belong together. */
const ROUTINGS = {
  load: { routing_type: "INTELLIASSIGN", routing_logic: "LOAD" },
  turn: { routing_type: "INTELLIASSIGN", routing_logic: "ROUND_ROBIN" },
  off: { routing_type: "DISABLED" },
  external: { routing_type: "OCR", routing_logic: "OCR" },
} as const satisfies Record<string, Pick<GroupSetting, "routing_type" | "routing_logic">>;
export type Routing = keyof typeof ROUTINGS;
export const ROUTING_NAMES = Object.keys(ROUTINGS) as Routing[];

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
  readonly signed_in_agents_only: boolean;
  readonly org_id: string;
}

/** The form of a group; undefined for a new group. */
export const groupForm = (group: GroupSetting | undefined): SchemaForm<GroupSetting, GroupValues> => ({
  schema: GROUP_SCHEMA,
  members: {
    name: { label: texts.name, missing: texts.nameMissing, taken: texts.nameTaken },
    description: { label: texts.description, lines: 2 },
    routing: {
      label: texts.routing,
      initial: "load",
      from: routingOf,
      to: (routing) => ROUTINGS[routing],
    },
    signed_in_agents_only: {
      label: texts.signedInOnly,
      help: texts.signedInOnlyHelp,
      initial: true,
      from: ({ signed_in_agents_only = false }) => signed_in_agents_only,
      isShown: ({ routing }) => isAutomatic(routing),
    },
    org_id: {
      label: texts.orgId,
      help: texts.orgIdHelp,
      taken: texts.orgIdTaken,
      // A new group without an id gets one. A group keeps the id that it has.
      check: (id) => (id === "" && group !== undefined ? texts.orgIdMissing : undefined),
    },
  },
});
