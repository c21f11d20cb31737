import type { Permission } from "@parley/contract";
import { accountOfRow } from "../../accounts/store.ts";
import type { Ports } from "../../environment/ports.ts";
import type { ApiCaller } from "../../http/route-handlers.ts";
import { createCredentialCache } from "../secrets/credential-cache.ts";
import { isTokenShaped, type ApiTokenRow, type ApiTokenStore } from "./store.ts";

const callerOf = (row: ApiTokenRow): ApiCaller => ({
  account: accountOfRow({ ...row, id: row.account_id }),
  credentialId: row.id,
  tokenName: row.token_name,
  permissions: new Set<Permission>(row.permissions),
  ...(row.is_account_closed && { isAccountClosed: true }),
});

/** Finds the caller of an API token. */
export const createFindCaller = ({ store, now }: { store: Pick<ApiTokenStore, "find"> } & Pick<Ports, "now">) =>
  createCredentialCache<ApiTokenRow>({ isShaped: isTokenShaped, find: store.find, callerOf, now }).find;
export type FindCaller = ReturnType<typeof createFindCaller>;
