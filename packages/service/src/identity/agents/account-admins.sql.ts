import { FORBIDDEN, refuse, type Agent } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { RequestActor } from "../../http/route-handlers.ts";

/** Class of the advisory locks of checks for the last account admin; the second number is the account. */
const ACCOUNT_ADMINS_LOCK_CLASS = 0x7061_7209;
const LOCK = statement(
  "lock_account_admins",
  `select pg_advisory_xact_lock(${ACCOUNT_ADMINS_LOCK_CLASS}, $1::integer)`,
);
const HAS_ACCOUNT_ADMIN = statement(
  "has_account_admin",
  `select exists (select from agents
                   where account_id = $1 and not is_deactivated and body::json ->> 'role_id' = 'ACCOUNT_ADMIN') as found`,
);

/** Whether an agent can sign in as an account admin. */
export const isAccountAdmin = ({ role_id, is_deactivated }: Pick<Agent, "role_id" | "is_deactivated">): boolean =>
  role_id === "ACCOUNT_ADMIN" && !is_deactivated;

/**
 * Refuses a session's change after which the account has no active account admin. A session can't take its own access away, but two account
 * admins can take each other's at the same moment. To be called in the transaction of the change, after it was written: because of the lock,
 * the later transaction sees the earlier transaction.
 * @errors FORBIDDEN
 */
export const checkAccountAdminRemains = async (tx: Db, { agent }: RequestActor, accountId: number): Promise<void> => {
  if (!agent) return;
  await tx.rows(LOCK, [accountId]);
  const { found } = (await tx.one<{ found: boolean }>(HAS_ACCOUNT_ADMIN, [accountId])) ?? { found: false };
  if (!found) refuse(FORBIDDEN, "The account would have no active agent with the role Account admin any more.");
};
