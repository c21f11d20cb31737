import {
  ACCOUNT_CLOSED,
  CONFLICT,
  refuse,
  type AccountDocument,
  type AppliedDocument,
  type Role,
} from "@parley/contract";
import type { Db, Pool, Transaction } from "@parley/database";
import type { Ports } from "../../../base/environment/ports.ts";
import { readState, writeLists } from "./account-lists.sql.ts";
import { checkAliases, writeMessengerSettings } from "./messenger-setting.sql.ts";
import { planAccount } from "./plan.ts";
import { checkRemovals } from "./removals.sql.ts";
import { recordAppliedDocument, type ApplicationAudit } from "./record-applied.ts";
import { BUILT_IN_ROLES } from "./sections/agents-and-groups.ts";
import { initialSettings } from "./settings.ts";
import { NO_LISTS, type AccountState } from "./sections/state.ts";
import { setupStore } from "./store.ts";

interface ApplyDeps {
  readonly pool: Pick<Pool, "transaction">;
  readonly ports: Pick<Ports, "newId" | "now">;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
}

interface ApplyOptions {
  /** Computes the changes without writing them. */
  readonly dryRun: boolean;
  /** Prunes every list that the document contains. */
  readonly prune: boolean;
  /** Refuses changes that the caller may not make. Called before anything is written. */
  readonly check?: (changes: AppliedDocument["changes"]) => void;
  readonly audit: ApplicationAudit;
}

type FoundAccount = { readonly id: number; readonly isNew: boolean; readonly before: AccountState };

/** The current state of the account, or the initial state of a new account. @errors ACCOUNT_CLOSED */
const findAccount = async (
  tx: Db,
  name: string,
  { newId, domain, dryRun }: Pick<Ports, "newId"> & { domain: string; dryRun: boolean },
): Promise<FoundAccount> => {
  const store = setupStore(tx);
  const row = await store.byName(name);
  if (!row) {
    // A dry run takes no number: a sequence value can't be returned.
    const id = dryRun ? 0 : await store.nextId();
    return { id, isNew: true, before: { ...initialSettings({ id, name, domain, app_id: newId() }), lists: NO_LISTS } };
  }
  if (row.closed_time) refuse(ACCOUNT_CLOSED);
  return { id: row.id, isNew: false, before: await readState(tx, row) };
};

/** The built-in roles, which a new account gets without a reported change. */
const initialRoles = (isNew: boolean): readonly Role[] => (isNew ? BUILT_IN_ROLES : []);

/**
 * Brings an account into the state that a document describes. The transaction holds a lock of the account from then on.
 * @shape audit: absent if the caller records the change itself
 * @errors those of `applyDocument`
 */
export const applyDocumentWithin = async (
  tx: Transaction,
  { ports, domain }: Omit<ApplyDeps, "pool">,
  document: AccountDocument,
  { dryRun, prune, check, audit }: Omit<ApplyOptions, "audit"> & Partial<Pick<ApplyOptions, "audit">>,
): Promise<AppliedDocument> => {
  const store = setupStore(tx);
  await store.lock(document.name);
  const { id, isNew, before } = await findAccount(tx, document.name, { newId: ports.newId, domain, dryRun });
  const roles = initialRoles(isNew);
  const state = { ...before, lists: { ...before.lists, roles: [...before.lists.roles, ...roles] } };
  const plan = planAccount(state, document, { isNew, prune, newId: ports.newId, now: ports.now() });
  check?.([...plan.changes]);
  await checkRemovals(tx, id, state.lists, plan.lists);
  await checkAliases(tx, id, plan.settings.messenger);
  if (!dryRun) {
    if (!isNew) await store.update(id, plan.settings);
    else if (!(await store.insert(id, plan.settings))) refuse(CONFLICT);
    if (document.messenger) await writeMessengerSettings(tx, id, plan.settings.messenger);
    const plannedRoles = plan.lists.roles;
    await writeLists(tx, id, { ...plan.lists, roles: { ...plannedRoles, put: [...roles, ...plannedRoles.put] } });
    const applied = { id, account: document.name, created: isNew, changes: [...plan.changes] };
    if (audit) await recordAppliedDocument(tx, audit, applied);
  }
  return {
    account: document.name,
    created: isNew,
    dry_run: dryRun,
    changes: [...plan.changes],
    unchanged: plan.unchanged,
  };
};

/**
 * Brings an account into the state that a document describes, in one transaction. Applying the same document again changes nothing.
 * Concurrent runs for one account are serialised.
 * @errors INVALID_VALUE that names the place in the document, SETTING_IN_USE, ACCOUNT_CLOSED; nothing is changed then
 */
export const applyDocument = (
  { pool, ports, domain }: ApplyDeps,
  document: AccountDocument,
  options: ApplyOptions,
): Promise<AppliedDocument> => pool.transaction((tx) => applyDocumentWithin(tx, { ports, domain }, document, options));
