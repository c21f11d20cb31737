import type { Permission } from "@parley/contract";
import { accountOfRow } from "../../../messaging/accounts/store.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { ApiCaller } from "../../../http/route-handlers.ts";
import { createCredentialCache } from "../secrets/credential-cache.ts";
import { isTokenShaped, type ApiTokenRow, type ApiTokenStore } from "./store.ts";

const callerOf = (row: ApiTokenRow): ApiCaller => ({
  account: accountOfRow({ ...row, id: row.account_id }),
  credentialId: row.id,
  tokenName: row.token_name,
  permissions: new Set<Permission>(row.permissions),
  ...(row.is_account_closed && { isAccountClosed: true }),
});

/** How exactly the last use of a token is kept. @units milliseconds @assumed */
const USE_PRECISION_MS = 60_000;

interface FindCallerDeps extends Pick<Ports, "now" | "monotonicMs"> {
  readonly store: Pick<ApiTokenStore, "find" | "used">;
}

/**
 * Finds the caller of an API token. A token is looked up about once a second while it is used, so that a lookup is a use; requests themselves
 * write nothing.
 */
export const createFindCaller = ({ store, now, monotonicMs }: FindCallerDeps) => {
  const find = async (hashes: readonly Buffer[]): Promise<readonly ApiTokenRow[]> => {
    const rows = await store.find(hashes);
    const time = now();
    const used = rows.filter(
      ({ expires_time, last_used_time }) =>
        expires_time > time && time.getTime() - (last_used_time?.getTime() ?? 0) >= USE_PRECISION_MS,
    );
    // Requests do not wait for it and succeed without it: the next lookup tries again.
    if (used.length > 0)
      void store
        .used(
          used.map(({ id }) => id),
          time,
        )
        .catch(() => undefined);
    return rows;
  };
  return createCredentialCache<ApiTokenRow>({ isShaped: isTokenShaped, find, callerOf, now, monotonicMs }).find;
};
export type FindCaller = ReturnType<typeof createFindCaller>;
