import {
  ACCOUNT_NOT_FOUND,
  INVALID_VALUE,
  refuse,
  type ImportedAccount,
  type ImportedAgent,
  type ImportedEnd,
} from "@parley/contract";
import { agentStore } from "../agents/store.ts";
import { applyDocument } from "../setup/apply.ts";
import type { SingleRecord } from "./batch.ts";
import type { ImportRun } from "./import-run.ts";
import { importAgent } from "./import-agent.ts";
import {
  plannedDirectory,
  readAccountDirectory,
  withImportedAgent,
  type AccountDirectory,
} from "./account-directory.ts";
import { NO_IMPORT_COUNTS, type ImportCounts } from "./write-plan.sql.ts";

/** Imports the records outside of batches: accounts, agents and ends of exports. Keeps the directory of the current account. */
export const createImportSettings = ({ pool, ports, domain, account, present, dryRun }: ImportRun) => {
  const agents = agentStore(pool);
  let directory: AccountDirectory | undefined;
  /** Records since the last end of an export. */
  let records = 0;

  /** @errors ACCOUNT_NOT_FOUND, INVALID_VALUE */
  const currentDirectory = async (): Promise<AccountDirectory> => {
    directory ??= account === undefined ? undefined : await readAccountDirectory(pool, account);
    if (directory) return directory;
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
    const { created, changes } = await applyDocument({ pool, ports, domain }, named, { dryRun: false, prune: false });
    directory = await readAccountDirectory(pool, named.name);
    return { ...NO_IMPORT_COUNTS, [created ? "created" : changes.length > 0 ? "updated" : "unchanged"]: 1 };
  };

  const importAgentRecord = async (record: ImportedAgent): Promise<ImportCounts> => {
    const current = await currentDirectory();
    const { outcome, agent } = await importAgent(record, { directory: current, agents, present, dryRun, ports });
    if (outcome !== "unchanged")
      directory = dryRun ? withImportedAgent(current, agent) : await readAccountDirectory(pool, current.account.name);
    return { ...NO_IMPORT_COUNTS, [outcome]: 1 };
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
      return record.type === "account" ? importAccount(record) : importAgentRecord(record);
    },
  };
};
