import { type AccountDocument, UsageFailure } from "@parley/contract";
import type { Pool } from "@parley/database";
import { accountOfRow, type StoredAccountRow, accountStore } from "../../messaging/accounts/store.ts";
import { agentStore } from "../../identity/agents/store.ts";
import { createDemoIds, demoAgents, type DemoPerson } from "../demo/demo-account.ts";
import { ensureDemo } from "../demo/demo.ts";
import { insertAgents } from "../../identity/agents/store.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { COMMAND_ACTOR, createRecordAudit } from "../../identity/audit/record.sql.ts";
import { applyDocument } from "../administration/document/apply.ts";
import { readState } from "../administration/document/account-lists.sql.ts";

/** The parts of an account that generated data refers to. */
export interface TargetAccount {
  readonly accountId: number;
  readonly appId: string;
  /** Channel ids. */
  readonly channels: readonly string[];
  readonly agents: readonly {
    readonly id: string;
    readonly org_id: string | undefined;
    readonly groups: readonly string[];
  }[];
}

interface Named {
  readonly name: string;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
}

const GROUPS = ["Sales", "Support"];

const documentOf = (name: string): AccountDocument => ({
  name,
  plan_type: "Enterprise",
  channels: [{ name: "Inbox" }],
  groups: GROUPS.map((group) => ({ name: group })),
  statuses: [{ name: "Available", availability_status: "AVAILABLE" }],
});

const person = (first_name: string, last_name: string, group: string): DemoPerson => ({
  first_name,
  last_name,
  groups: [group],
  role: "AGENT",
  status: "Available",
  joined: "2024-01-08T09:00:00.000Z",
});

const STAFF: readonly DemoPerson[] = [
  person("Ida", "Brandt", "Support"),
  person("Omar", "Farouk", "Support"),
  person("Lucia", "Vega", "Sales"),
  person("Henry", "Stone", "Sales"),
];

/** Creates a small account: one channel, two groups, four agents. */
const addAccount = async (pool: Pool, ports: Ports, { name, domain }: Named): Promise<StoredAccountRow> => {
  const audit = { actor: COMMAND_ACTOR, recordAudit: createRecordAudit(ports) };
  await applyDocument({ pool, ports, domain }, documentOf(name), { dryRun: false, prune: false, audit });
  const row = await accountStore(pool).byName(name);
  if (!row) throw new Error(`the account ${name} is gone`);
  const { lists } = await readState(pool, row);
  await insertAgents(
    pool,
    row.id,
    demoAgents(createDemoIds(name), lists, { domain: `${name}.example`, people: STAFF }),
  );
  return row;
};

/**
 * Reads the account, its channels and its agents. A missing account is created; an existing one is not changed.
 * @errors UsageFailure if the account has no enabled channel
 */
export const targetAccountOf = async (pool: Pool, ports: Ports, named: Named): Promise<TargetAccount> => {
  // The demo accounts come first, so that their names and numbers are not taken when the service first starts.
  await ensureDemo(pool);
  const row = (await accountStore(pool).byName(named.name)) ?? (await addAccount(pool, ports, named));
  if (row.closed_time)
    throw new UsageFailure(`The account ${named.name} is closed. Reopen it, or name another account.`);
  const { id, configuration } = accountOfRow(row);
  const { lists } = await readState(pool, row);
  const channels = lists.channels.filter(({ enabled }) => enabled).map((channel) => channel.id);
  if (channels.length === 0)
    throw new UsageFailure(
      `The account ${named.name} has no enabled channel. Give the account an enabled channel, or name another account.`,
    );
  const agents = (await agentStore(pool).facts(id)).filter(({ is_deactivated }) => !is_deactivated);
  return {
    accountId: id,
    appId: configuration.app_id,
    channels,
    agents: agents.map(({ id, org_contact_id, groups }) => ({ id, org_id: org_contact_id, groups })),
  };
};
