import type { Agent, Role } from "@parley/contract";
import { v5 } from "uuid";
import type { AccountState, OrgGroup, AgentStatusSetting } from "../setup/sections/state.ts";
import { roleScope } from "../agents/agent.ts";

/** All that one demo account is set up with. */
export interface DemoAccount extends AccountState {
  readonly id: number;
  readonly agents: readonly Agent[];
}

/** Any constant does: ids derived from it are the same on every machine, so that documents can name them. */
const NAMESPACE = "6f1c2f5e-7a0e-4d0b-9f0a-5c1d0e7b1a42";

/** Ids of one account's things by kind and name: a restart finds what it made. */
export const createDemoIds =
  (account: string) =>
  (kind: string, name: string): string =>
    v5(`${account}/${kind}/${name}`, NAMESPACE);
export type DemoIdOf = ReturnType<typeof createDemoIds>;

/** What tells one agent of an account from another. */
export interface DemoPerson {
  readonly first_name: string;
  readonly last_name: string;
  /** Names. */
  readonly groups: readonly string[];
  /** Id of a role. */
  readonly role: string;
  /** Name. */
  readonly status: string;
  readonly joined: string;
  readonly more?: Partial<Agent>;
}

/** Makes agents out of what tells them apart, with ids derived from their names. */
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
    if (!status || !role || members.length !== person.groups.length) throw new Error(`${name} names what there is not`);
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
      login_status: status.availability_status === "AVAILABLE",
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
