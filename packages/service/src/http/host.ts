import { FORBIDDEN, refuse } from "@parley/contract";
import type { Account } from "./slice.ts";

/** Hosts of local accounts are `<account>.parley.localhost`: browsers and most resolvers lead them to this machine. */
export const LOCAL_DOMAIN = "parley.localhost";

/** -> the account that a Host header names, undefined where it names the machine only. */
export const accountOfHost = (host: string | undefined): string | undefined =>
  /^([^:]+)\.parley\.localhost\.?(?::\d+)?$/i.exec(host ?? "")?.[1]?.toLowerCase();

/** A token is good on its own account's address; elsewhere (localhost, 127.0.0.1) it alone names the account. @errors FORBIDDEN */
export function checkHost(host: string | undefined, account: Account): void {
  const named = accountOfHost(host);
  if (named !== undefined && named !== account.name)
    refuse(FORBIDDEN, `The access token belongs to another account than the address ${named}.${LOCAL_DOMAIN}.`);
}
