import type { IparamsConfig, IparamValue } from "@parley/contract";
import { otherProduct } from "../request/templates/account-host.ts";

/** The account that a local instance serves, with the credentials for its API. */
interface OwnAccount {
  /** The full host name of the account. */
  readonly domain: string;
  readonly apiKey: string;
}

/**
 * Default parameters of an unattended installation: the address and key of the local account, by the type of each parameter. All other
 * parameters use their own defaults. Parameters of other products are left out, because no account of another product is known.
 */
export const ownAccountValues = (iparams: IparamsConfig, { domain, apiKey }: OwnAccount): Record<string, IparamValue> =>
  Object.fromEntries(
    Object.entries(iparams).flatMap(([key, iparam]) => {
      if (otherProduct(iparam) !== undefined) return [];
      if (iparam.type === "domain") return [[key, domain]];
      return iparam.type === "api_key" ? [[key, apiKey]] : [];
    }),
  );
