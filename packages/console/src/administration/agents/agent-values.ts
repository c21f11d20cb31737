import type {
  Agent,
  AgentChange,
  AgentRole,
  AgentScope,
  AgentSettings,
  NewAgent,
  SessionAgent,
} from "@parley/contract";
import { VALUES } from "../../contract-values.ts";
import { isAtLeast } from "../../workspace/roles.ts";
import { agentName } from "../../workspace/workspace.ts";
import { changedSetting } from "../entry-merge.ts";
import { recordOf, type SchemaForm } from "../../forms/schema-form.ts";
import { AGENT_SCHEMA, AGENT_VALUES } from "./contract-values.ts";
import { agentMessages as texts } from "./messages.ts";

/** The built-in role that a role ranks as: a custom one as AGENT. */
export const rankOf = (roleId: string): AgentRole => VALUES.agentRoles.find((role) => role === roleId) ?? "AGENT";

type Manager = Pick<SessionAgent, "agent_id" | "role">;

/** Whether the role of the session permits to change agents with this role, and to give it. */
export const mayGive = ({ role }: Manager, roleId: string): boolean => isAtLeast(role, rankOf(roleId));

/** Whether the session can take access away from an agent: not from its own agent. */
export const isOwn = ({ agent_id }: Manager, { id }: Pick<Agent, "id">): boolean => agent_id === id;

/** Which agents are listed. */
export const AGENT_STATES = ["all", "active", "deactivated"] as const;
type AgentState = (typeof AGENT_STATES)[number];
export interface AgentFilter {
  readonly text: string;
  readonly state: AgentState;
  /** Id of a group; undefined: all agents, with or without a group. */
  readonly group: string | undefined;
}
export const noFilter: AgentFilter = { text: "", state: "all", group: undefined };

/** A text without case and accents. */
const folded = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** -> the agents that a filter lets through, by name. Each word of the text must be in the name or the e-mail address. */
export const filterAgents = (agents: readonly Agent[], { text, state, group }: AgentFilter): readonly Agent[] => {
  const words = folded(text).split(/\s+/).filter(Boolean);
  return agents
    .filter(({ is_deactivated }) => state === "all" || is_deactivated === (state === "deactivated"))
    .filter(({ groups }) => group === undefined || groups.includes(group))
    .filter((agent) => {
      const searched = folded(`${agentName(agent)} ${agent.email}`);
      return words.every((word) => searched.includes(word));
    })
    .toSorted((one, other) => agentName(one).localeCompare(agentName(other)));
};

/** Values of the form of an agent. */
export interface AgentValues {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone: string;
  readonly role_id: string;
  /** Ids. */
  readonly groups: readonly string[];
}

/** Text on both sides of one @; the service has the complete rule. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

const emailProblem = (email: string, taken: string | undefined): string | undefined => {
  if (!ADDRESS.test(email)) return texts.emailInvalid;
  return email === taken ? texts.emailTaken : undefined;
};

/** @shape isOwn: the agent is the session's own; taken: an address that the service has refused, as another agent has it */
export const agentForm = (isOwn: boolean, taken?: string): SchemaForm<NewAgent, AgentValues> => ({
  schema: AGENT_SCHEMA,
  members: {
    email: {
      label: texts.email,
      help: isOwn ? texts.ownEmail : texts.emailHelp,
      isFixed: isOwn,
      inputMode: "email",
      missing: texts.emailMissing,
      check: (email) => emailProblem(email, taken),
    },
    first_name: { label: texts.firstName },
    last_name: { label: texts.lastName },
    phone: { label: texts.phone, inputMode: "tel" },
    role_id: { label: texts.role, initial: "AGENT" },
    groups: { label: texts.groups },
  },
});

/** Fields that were left empty are omitted. */
export const creationOf = (values: AgentValues): NewAgent =>
  Object.fromEntries(
    Object.entries(recordOf(agentForm(false), values)).filter(([, value]) => value !== ""),
  ) as NewAgent;

/** The changed fields only: a role that is given again would set the scope, and other people may have changed the rest. */
export const changeOf = (before: AgentValues, values: AgentValues): AgentChange =>
  changedSetting(recordOf(agentForm(false), before), recordOf(agentForm(false), values), []);

/** Values of the form of an agent's work. */
interface WorkValues {
  readonly scope: AgentScope;
  /** As typed. */
  readonly capacity: string;
}

export const workValuesOf = ({ scope = "Group", agent_capacity = 0 }: Agent): WorkValues => ({
  scope,
  capacity: String(agent_capacity),
});

export const workProblemsOf = ({ capacity }: WorkValues): Partial<Record<keyof WorkValues, string>> => {
  const typed = capacity.trim();
  const isValid = /^\d+$/.test(typed) && Number(typed) <= AGENT_VALUES.capacityMax;
  return isValid ? {} : { capacity: texts.capacityInvalid(AGENT_VALUES.capacityMax) };
};

/** The changed settings only: other people may have changed the rest. */
export const agentSettingsOf = (before: WorkValues, { scope, capacity }: WorkValues): AgentSettings => ({
  ...(scope !== before.scope && { scope }),
  ...(capacity.trim() !== before.capacity && { agent_capacity: Number(capacity) }),
});
