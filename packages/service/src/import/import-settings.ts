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
import { importAgent } from "./people.ts";
import {
  plannedDirectory,
  readAccountDirectory,
  withImportedAgent,
  type AccountDirectory,
} from "./account-directory.ts";
import { NO_IMPORT_COUNTS, type ImportCounts } from "./write-plan.ts";

/** Imports the records outside of batches: accounts, agents and ends of exports. Keeps the directory of the current account. */
export const createImportSettings = ({ pool, ports, domain, account, present, dryRun }: ImportRun) => {
  const agents = agentStore(pool);
  let roll: AccountDirectory | undefined;
  /** Records since the last end of an export. */
  let records = 0;

  /** @errors ACCOUNT_NOT_FOUND, INVALID_VALUE */
  const theRoll = async (): Promise<AccountDirectory> => {
    roll ??= account === undefined ? undefined : await readAccountDirectory(pool, account);
    if (roll) return roll;
    if (account !== undefined)
      return refuse(ACCOUNT_NOT_FOUND, `There is no account ${account}, and no account record stands before this line`);
    return refuse(
      INVALID_VALUE,
      "It is not known whose record this is: begin with an account record, or name the account of the import",
    );
  };

  const takeAccount = async ({ type: _type, ...document }: ImportedAccount): Promise<ImportCounts> => {
    const named = { ...document, name: account ?? document.name };
    if (dryRun) {
      roll = await plannedDirectory(pool, named, { ...ports, domain });
      return { ...NO_IMPORT_COUNTS, unchanged: 1 };
    }
    const { created, changes } = await applyDocument({ pool, ports, domain }, named, { dryRun: false, prune: false });
    roll = await readAccountDirectory(pool, named.name);
    return { ...NO_IMPORT_COUNTS, [created ? "created" : changes.length > 0 ? "updated" : "unchanged"]: 1 };
  };

  const takeAgent = async (record: ImportedAgent): Promise<ImportCounts> => {
    const whose = await theRoll();
    const { outcome, agent } = await importAgent(record, { roll: whose, agents, present, dryRun, ports });
    if (outcome !== "unchanged")
      roll = dryRun ? withImportedAgent(whose, agent) : await readAccountDirectory(pool, whose.account.name);
    return { ...NO_IMPORT_COUNTS, [outcome]: 1 };
  };

  const takeEnd = ({ records: told }: ImportedEnd): ImportCounts => {
    const found = records;
    records = 0;
    if (told !== found)
      refuse(INVALID_VALUE, `The export that ends here had ${told} records, of which ${found} stand in the file`);
    return NO_IMPORT_COUNTS;
  };

  return {
    theRoll,
    /** Adds the records of a batch to the count. */
    count: (more: number) => void (records += more),
    take: async (record: SingleRecord): Promise<ImportCounts> => {
      if (record.type === "end") return takeEnd(record);
      records += 1;
      return record.type === "account" ? takeAccount(record) : takeAgent(record);
    },
  };
};
