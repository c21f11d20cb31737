import {
  ACCOUNT_NOT_FOUND,
  AGENT_EMAIL_TAKEN,
  AGENT_STATUS_NOT_FOUND,
  CONFLICT,
  GROUP_NOT_FOUND,
  INVALID_VALUE,
  refuse,
  IMPORT_APP_RECORDS,
  type Agent,
  type AppImportRecord,
  type ExistingRecordPolicy,
  type ImportedAccount,
  type ImportedAgent,
  type ImportedEnd,
} from "@parley/contract";
import { checkEmail } from "../../../messaging/accounts/profile-fields.ts";
import {
  agentJson,
  newAgent,
  findStatus,
  findRole,
  DEFAULT_ROLE_ID,
  roleScope,
} from "../../../identity/agents/agent.ts";
import { checkProfileFields } from "../../../messaging/accounts/profile-fields.ts";
import { agentStore, type AgentStore } from "../../../identity/agents/store.ts";
import type { DirectoryAgent } from "../../../messaging/directory/directory.ts";
import { createRecordAudit } from "../../../identity/audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { applyDocument } from "../../administration/document/apply.ts";
import type { AccountRecordImporter } from "../../administration/lifecycle/account-data.ts";
import type { SingleRecord } from "./batch.ts";
import type { ImportRun } from "./import-run.ts";
import {
  plannedDirectory,
  readAccountDirectory,
  withImportedAgent,
  type AccountDirectory,
} from "./account-directory.ts";
import { firstDifference, recordTime } from "./record-fields.ts";
import { NO_IMPORT_COUNTS, type ImportCounts } from "./write-plan.sql.ts";

interface AgentDeps {
  readonly directory: AccountDirectory;
  readonly agents: AgentStore;
  readonly present: ExistingRecordPolicy;
  readonly dryRun: boolean;
  readonly ports: Ports;
}

/** The members in the record, as the agent object has them. @errors GROUP_NOT_FOUND, AGENT_STATUS_NOT_FOUND, ROLE_NOT_FOUND, INVALID_VALUE */
const agentOfRecord = (
  directory: AccountDirectory,
  record: ImportedAgent,
): Partial<Agent> & Pick<Agent, "id" | "email"> => {
  const { type: _type, groups, role_id, role_name, agent_status, created_time, ...fields } = record;
  checkProfileFields({ avatar: fields.avatar });
  const ids = groups?.map(directory.groupId);
  if (ids?.some((id) => !directory.hasGroup(id)))
    refuse(GROUP_NOT_FOUND, "groups names a group that the account doesn't have");
  const role = findRole(directory.roles, { role_id, role_name });
  const status = agent_status && findStatus(directory.statuses, agent_status);
  if (agent_status && !status) refuse(AGENT_STATUS_NOT_FOUND);
  return {
    ...fields,
    id: directory.idOf("agent", record.id),
    ...(created_time !== undefined && { created_time: recordTime(created_time) }),
    ...(ids && { groups: ids }),
    ...(role && { role_id: role.id, role_name: role.name, scope: roleScope(role) }),
    ...(status && {
      agent_status: { id: status.id, name: status.name },
      availability_status: status.availability_status,
    }),
  };
};

/** The object of a new agent. @errors ROLE_NOT_FOUND */
const newAgentOf = (directory: AccountDirectory, fields: ReturnType<typeof agentOfRecord>, ports: Ports): Agent => {
  const role = findRole(directory.roles, fields) ?? findRole(directory.roles, { role_id: DEFAULT_ROLE_ID });
  if (!role) throw new Error("every account has the usual role");
  const named = { groups: [], role };
  return {
    ...newAgent({ email: fields.email }, named, undefined, ports),
    availability_status: "UNAVAILABLE",
    ...fields,
  };
};

/**
 * Imports one agent.
 * @errors AGENT_EMAIL_TAKEN, CONFLICT, GROUP_NOT_FOUND, AGENT_STATUS_NOT_FOUND, ROLE_NOT_FOUND
 * @assumed An agent whose record contains no status is not available.
 */
const importAgent = async (
  record: ImportedAgent,
  { directory, agents, present, dryRun, ports }: AgentDeps,
): Promise<{ readonly outcome: "created" | "updated" | "unchanged"; readonly agent: DirectoryAgent }> => {
  checkEmail(record.email);
  const fields = agentOfRecord(directory, record);
  const { id: accountId } = directory.account;
  const body = await agents.body(accountId, fields.id);
  const resultOf = (outcome: "created" | "updated" | "unchanged", agent: Agent) => ({
    outcome,
    // The table assigns internal_id.
    agent: { ...agent, internal_id: directory.agents.get(agent.id)?.internal_id ?? 0 },
  });
  if (body === undefined) {
    const isTaken = [...directory.agents.values()].some(
      ({ email, id }) => email.toLowerCase() === fields.email.toLowerCase() && id !== fields.id,
    );
    if (isTaken) refuse(AGENT_EMAIL_TAKEN);
    const agent = newAgentOf(directory, fields, ports);
    if (!dryRun && !(await agents.add(accountId, { agent, text: agentJson(agent) }))) refuse(AGENT_EMAIL_TAKEN);
    return resultOf("created", agent);
  }
  const stored = JSON.parse(body) as Agent;
  const member = firstDifference({ ...fields }, { ...stored });
  if (member === undefined || present === "keep") return resultOf("unchanged", stored);
  if (present === "refuse")
    refuse(
      CONFLICT,
      `${member} differs from that of the agent that is there with this id. Import with present=keep to leave it is, with present=update to change it`,
    );
  if (!dryRun) {
    const changed = await agents.change(accountId, fields.id, ports.now(), (found) => {
      const agent: Agent = { ...found, ...fields };
      return { agent, text: agentJson(agent) };
    });
    if (changed === "taken") refuse(AGENT_EMAIL_TAKEN);
  }
  return resultOf("updated", { ...stored, ...fields });
};

const isAppRecord = (record: SingleRecord): record is AppImportRecord => Object.hasOwn(IMPORT_APP_RECORDS, record.type);

/** Imports the records outside of batches: accounts, agents, data of apps and ends of exports. Keeps the directory of the current account. */
export const createImportSettings = (run: ImportRun) => {
  const { pool, ports, domain, account, present, dryRun, actor, accountData = [] } = run;
  const agents = agentStore(pool);
  const audit = { actor, recordAudit: createRecordAudit(ports) };
  let directory: AccountDirectory | undefined;
  /** Records since the last end of an export. */
  let records = 0;

  /** Accounts whose audit log has an entry of this import. */
  const recorded = new Set<number>();
  /** Records the import of an account once, before its first record is written. */
  const recordImport = async ({ id, name }: AccountDirectory["account"]): Promise<void> => {
    if (dryRun || recorded.has(id)) return;
    recorded.add(id);
    const details = { existing_records: present };
    await pool.transaction((tx) =>
      audit.recordAudit(tx, { actor, action: "data.import", account: { id, name }, subject: name, details }),
    );
  };

  /** @errors ACCOUNT_NOT_FOUND, INVALID_VALUE */
  const currentDirectory = async (): Promise<AccountDirectory> => {
    directory ??= account === undefined ? undefined : await readAccountDirectory(pool, account);
    if (directory) {
      await recordImport(directory.account);
      return directory;
    }
    if (account !== undefined)
      return refuse(ACCOUNT_NOT_FOUND, `There is no account ${account}, and no account record stands before this line`);
    return refuse(
      INVALID_VALUE,
      "It is not known whose record this is: begin with an account record, or name the account of the import",
    );
  };

  const importAccount = async ({ type: _type, ...document }: ImportedAccount): Promise<ImportCounts> => {
    const named = { ...document, name: account ?? document.name };
    if (dryRun) {
      directory = await plannedDirectory(pool, named, { ...ports, domain });
      return { ...NO_IMPORT_COUNTS, unchanged: 1 };
    }
    const { created, changes } = await applyDocument({ pool, ports, domain }, named, {
      dryRun: false,
      prune: false,
      audit,
    });
    const current = await readAccountDirectory(pool, named.name);
    directory = current;
    if (current && (created || changes.length > 0)) await recordImport(current.account);
    return { ...NO_IMPORT_COUNTS, [created ? "created" : changes.length > 0 ? "updated" : "unchanged"]: 1 };
  };

  const importAgentRecord = async (record: ImportedAgent): Promise<ImportCounts> => {
    const current = await currentDirectory();
    const { outcome, agent } = await importAgent(record, { directory: current, agents, present, dryRun, ports });
    if (outcome !== "unchanged")
      directory = dryRun ? withImportedAgent(current, agent) : await readAccountDirectory(pool, current.account.name);
    return { ...NO_IMPORT_COUNTS, [outcome]: 1 };
  };

  let appImport: { readonly account: string; readonly importers: readonly AccountRecordImporter[] } | undefined;
  /** @errors ACCOUNT_NOT_FOUND, CONFLICT, INVALID_VALUE */
  const importAppRecord = async (record: AppImportRecord): Promise<ImportCounts> => {
    const { name } = (await currentDirectory()).account;
    if (appImport?.account !== name) {
      const { now, newId } = ports;
      const options = { account: name, host: `${name}.${domain}`, present, dryRun, now, newId };
      appImport = { account: name, importers: accountData.map((owner) => owner.openImport(pool, options)) };
    }
    for (const importRecord of appImport.importers) {
      const outcome = await importRecord(record);
      if (outcome === "conflict")
        refuse(
          CONFLICT,
          "The app has such a record with other content. Import with present=keep to leave it as it is, with present=update to change it",
        );
      if (outcome !== "skipped") return { ...NO_IMPORT_COUNTS, [outcome]: 1 };
    }
    return { ...NO_IMPORT_COUNTS, skipped: 1 };
  };

  const checkEnd = ({ records: declared }: ImportedEnd): ImportCounts => {
    const counted = records;
    records = 0;
    if (declared !== counted)
      refuse(INVALID_VALUE, `The export that ends here had ${declared} records, of which ${counted} stand in the file`);
    return NO_IMPORT_COUNTS;
  };

  return {
    currentDirectory,
    /** Adds the records of a batch to the count. */
    countRecords: (more: number) => void (records += more),
    importRecord: async (record: SingleRecord): Promise<ImportCounts> => {
      if (record.type === "end") return checkEnd(record);
      records += 1;
      if (isAppRecord(record)) return importAppRecord(record);
      return record.type === "account" ? importAccount(record) : importAgentRecord(record);
    },
  };
};
