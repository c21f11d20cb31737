import { basePathOf, type AccountSummary } from "@parley/contract";
import { accountOf, type AccountRow } from "../accounts/account.ts";
import type { AccountStore } from "../accounts/store.ts";
import { limitOf } from "../allowance/allowance.ts";
import { secondsLeft, windowOf } from "../allowance/window.ts";
import type { Account } from "../http/slice.ts";
import type { Ports } from "../ports.ts";

const basePath = ({ name, configuration }: Account): string => basePathOf({ name, bundle_id: configuration.bundle_id });

/** An account as lists show it. */
export const summaryOf = (row: AccountRow): AccountSummary => {
  const account = accountOf(row);
  const { bundle_id: id, bundle_type: type } = account.configuration;
  const { name, plan_type } = account;
  return { id: account.id, name, base_path: basePath(account), plan_type, bundle: { id, type } };
};

/** How each account stands in the present hour. */
export const standings = async (
  accounts: Pick<AccountStore, "withCalls">,
  { now, callsPerHour }: Pick<Ports, "now"> & { readonly callsPerHour: number | undefined },
) => {
  const window = windowOf(now());
  const rows = await accounts.withCalls(new Date(window));
  return rows.map(({ used, ...row }) => {
    const account = accountOf(row);
    const limit = limitOf(account, callsPerHour);
    return {
      name: account.name,
      base_path: basePath(account),
      plan_type: account.plan_type,
      calls: { limit, used, left: Math.max(0, limit - used), reset: secondsLeft(window, now()) },
    };
  });
};
