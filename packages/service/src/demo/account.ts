import type {
  AccountConfiguration,
  Agent,
  AgentStatus,
  BusinessHours,
  Channel,
  Field,
  Group,
  Role,
  Template,
} from "@parley/contract";
import { v5 } from "uuid";

/** All that one demo account is set up with. */
export interface DemoAccount {
  readonly id: number;
  readonly name: string;
  readonly primary_locale: string;
  readonly configuration: AccountConfiguration;
  /** One for each language that a topic is written in. */
  readonly channels: readonly (Channel & { readonly locale: string })[];
  readonly groups: readonly (Group & { readonly org_id: string })[];
  readonly roles: readonly Role[];
  readonly statuses: readonly (AgentStatus & Pick<Agent, "availability_status">)[];
  readonly agents: readonly Agent[];
  readonly fields: readonly Field[];
  readonly templates: readonly Template[];
  readonly business_hours: readonly BusinessHours[];
}

/** Any constant does: ids derived from it are the same on every machine, so that documents can name them. */
const NAMESPACE = "6f1c2f5e-7a0e-4d0b-9f0a-5c1d0e7b1a42";

/** Ids of one account's things by kind and name: a restart finds what it made. */
export const idsOf =
  (account: string) =>
  (kind: string, name: string): string =>
    v5(`${account}/${kind}/${name}`, NAMESPACE);
export type IdOf = ReturnType<typeof idsOf>;

/** The roles that every account has. @spec Resources and their fields > Role object */
export const BUILT_IN_ROLES: readonly Role[] = [
  {
    id: "ACCOUNT_ADMIN",
    name: "Account admin",
    is_custom_role: false,
    description: "Owns the account: everything, billing included.",
  },
  { id: "ADMIN", name: "Admin", is_custom_role: false, description: "Sets the account up: everything but billing." },
  {
    id: "SUPER_USER",
    name: "Super user",
    is_custom_role: false,
    description: "Works on all conversations and reads the reports.",
  },
  { id: "AGENT", name: "Agent", is_custom_role: false, description: "Works on conversations." },
];
