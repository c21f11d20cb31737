import { ACCOUNT_NOT_FOUND, CLOSED_ACCOUNT_DAYS, FORBIDDEN, refuse, type ClosedAccount } from "@parley/contract";
import type { Db, Pool, Transaction } from "@parley/database";
import { closedTimesOf } from "../../../messaging/accounts/store.ts";
import type { RecordAudit } from "../../../identity/audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { RequestActor } from "../../../http/route-handlers.ts";
import { forgetCredentialReplies } from "../../../http/idempotency/store.ts";
import { sessionStore } from "../../../identity/authentication/sessions/store.ts";
import { notify } from "../../../base/log/notifications.sql.ts";
import { setupStore } from "../document/store.ts";
import type { AccountDataOwner } from "./account-data.ts";
import { lifecycleStore, type LifecycleRow } from "./store.ts";

interface CloseAccountDeps {
  readonly pool: Pool;
  readonly ports: Pick<Ports, "now">;
  /** Data of accounts in tables of other components. */
  readonly accountData: readonly AccountDataOwner[];
  readonly recordAudit: RecordAudit;
}

const DAY_MS = 24 * 60 * 60_000;
/**
 * Shortest time between the close of an account and its deletion. Requests that were admitted before have ended by then: a request is
 * received within two minutes.
 * @units milliseconds
 * @assumed Three minutes.
 */
const CLOSE_DRAIN_MS = 3 * 60_000;

/**
 * Shortest time in days that a session can choose: a stolen session must not destroy an account before somebody notices.
 * @assumed Seven days. The operator can choose any time.
 */
const DAYS_OF_SESSION_MIN = 7;

/** @errors FORBIDDEN */
const checkDays = ({ agent }: RequestActor, days: number | undefined): void => {
  if (agent && days !== undefined && days < DAYS_OF_SESSION_MIN)
    refuse(
      FORBIDDEN,
      `A session can delete an account after ${DAYS_OF_SESSION_MIN} days at the earliest: only the operator can choose less.`,
    );
};

const replyOf = (row: LifecycleRow): ClosedAccount => ({ account: row.name, ...closedTimesOf(row) });

/** -> the time of the deletion, counted from now; @shape days: undefined for the default */
const deletionTime = (days: number | undefined, { now, closed }: { readonly now: Date; readonly closed: Date }): Date =>
  new Date(Math.max(now.getTime() + (days ?? CLOSED_ACCOUNT_DAYS) * DAY_MS, closed.getTime() + CLOSE_DRAIN_MS));

/** Sessions end at once. Tokens remain, so that they are valid again once the account is reopened. */
const endSessions = async (tx: Db, accountId: number): Promise<void> => {
  const ended = await sessionStore(tx).endAllOfAccount(accountId);
  if (ended.length > 0) await forgetCredentialReplies(tx, ended);
};

/** Closes and reopens accounts. */
export const createAccountClosing = ({ pool, ports, accountData, recordAudit }: CloseAccountDeps) => {
  /** Runs while no document is applied to the account. @errors ACCOUNT_NOT_FOUND */
  const exclusively = (name: string, work: (tx: Transaction, row: LifecycleRow) => Promise<ClosedAccount>) => {
    // The database rejects NUL in texts.
    if (name.includes("\0")) return refuse(ACCOUNT_NOT_FOUND);
    return pool.transaction(async (tx) => {
      await setupStore(tx).lock(name);
      return work(tx, (await lifecycleStore(tx).byName(name)) ?? refuse(ACCOUNT_NOT_FOUND));
    });
  };

  return {
    /**
     * Closes an account. A closed account stays as it is, unless the request contains a number of days: the deletion is then due that
     * many days from now.
     * @errors ACCOUNT_NOT_FOUND, FORBIDDEN
     */
    close: ({ name, days, actor }: { name: string; days: number | undefined; actor: RequestActor }) => {
      checkDays(actor, days);
      return exclusively(name, async (tx, row) => {
        if (row.deletion_started_time || (row.closed_time && days === undefined)) return replyOf(row);
        const now = ports.now();
        const deletion = deletionTime(days, { now, closed: row.closed_time ?? now });
        const closed = (await lifecycleStore(tx).close(row.id, now, deletion)) ?? refuse(ACCOUNT_NOT_FOUND);
        await endSessions(tx, row.id);
        for (const owner of accountData) await owner.setClosed(tx, name, true);
        await recordAudit(tx, {
          actor,
          action: "account.close",
          account: row,
          subject: name,
          details: { deletion_time: deletion.toISOString() },
        });
        // Every process stops the deliveries of the account's events.
        await notify(tx, "control");
        return replyOf(closed);
      });
    },
    /** Reopens a closed account; an open one stays as it is. @errors ACCOUNT_NOT_FOUND, also if its data is being deleted */
    reopen: ({ name, actor }: { name: string; actor: RequestActor }) =>
      exclusively(name, async (tx, row) => {
        if (!row.closed_time) return replyOf(row);
        const reopened =
          (await lifecycleStore(tx).reopen(row.id)) ??
          refuse(ACCOUNT_NOT_FOUND, "The data of the account is being deleted: it can't be reopened.");
        // One that was begun while the account was closed.
        await endSessions(tx, row.id);
        for (const owner of accountData) await owner.setClosed(tx, name, false);
        await recordAudit(tx, { actor, action: "account.reopen", account: row, subject: name });
        await notify(tx, "control");
        return replyOf(reopened);
      }),
  };
};
