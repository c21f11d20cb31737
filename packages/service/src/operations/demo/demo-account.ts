import type { Agent, ReplyTemplate, Role } from "@parley/contract";
import { v5 } from "uuid";
import type { AccountState, OrgGroup, AgentStatusSetting } from "../administration/document/sections/state.ts";
import { roleScope } from "../../identity/agents/agent.ts";

/** The complete setup of a demo account. */
export interface DemoAccount extends AccountState {
  readonly id: number;
  readonly agents: readonly Agent[];
  readonly replies: readonly ReplyTemplate[];
}

/** Namespace of the derived ids. It is fixed: ids are the same on every machine, so that documents can cite them. */
const NAMESPACE = "6f1c2f5e-7a0e-4d0b-9f0a-5c1d0e7b1a42";

/** Derives the ids of an account's resources from their kind and name, so that a restart finds existing rows. */
export const createDemoIds =
  (account: string) =>
  (kind: string, name: string): string =>
    v5(`${account}/${kind}/${name}`, NAMESPACE);
export type DemoIdOf = ReturnType<typeof createDemoIds>;

/** The varying properties of a demo agent. */
export interface DemoPerson {
  readonly first_name: string;
  readonly last_name: string;
  /** Group names. */
  readonly groups: readonly string[];
  /** Role id. */
  readonly role: string;
  /** Status name. */
  readonly status: string;
  readonly joined: string;
  readonly more?: Partial<Agent>;
}

/** Creates complete agents, with ids derived from their names. */
export const demoAgents = (
  idOf: DemoIdOf,
  {
    groups,
    roles,
    statuses,
  }: {
    readonly groups: readonly OrgGroup[];
    readonly roles: readonly Role[];
    readonly statuses: readonly AgentStatusSetting[];
  },
  { domain, people }: { readonly domain: string; readonly people: readonly DemoPerson[] },
): Agent[] =>
  people.map((person) => {
    const { first_name, last_name, joined, more } = person;
    const name = `${first_name} ${last_name}`;
    const status = statuses.find((each) => each.name === person.status);
    const role = roles.find((each) => each.id === person.role);
    const members = groups.filter((group) => person.groups.includes(group.name));
    if (!status || !role || members.length !== person.groups.length)
      throw new Error(`${name} refers to an unknown group, role or status`);
    return {
      id: idOf("agent", name),
      created_time: joined,
      agent_capacity: 5,
      agent_status: { id: status.id, name: status.name },
      availability_status: status.availability_status,
      avatar: {},
      email: `${first_name}@${domain}`.toLowerCase(),
      first_name,
      last_name,
      masterid_group_ids: members.flatMap(({ org_id }) => org_id ?? []),
      masterid_uuid: idOf("master agent", name),
      groups: members.map(({ id }) => id),
      is_deactivated: false,
      is_deleted: false,
      license_type: "fulltime",
      locale: "en",
      // Nobody has a session before the first sign-in; routing looks at the availability.
      login_status: false,
      org_contact_id: idOf("org contact", name),
      role_id: role.id,
      role_name: role.name,
      routing_type: "INTELLIASSIGN",
      scope: roleScope(role),
      social_profiles: [],
      timezone: "America/New_York",
      ...more,
    };
  });
