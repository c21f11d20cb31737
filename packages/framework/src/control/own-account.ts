import type { IparamsConfig, IparamValue } from "@parley/contract";
import { otherProduct } from "../request/templates/account-host.ts";

/** The account that a local instance is for, as an app is let in. */
interface OwnAccount {
  /** The account's whole host. */
  readonly domain: string;
  readonly apiKey: string;
}

/**
 * Parameters to install an app with where nobody gives them: address and key of the local account by their types; the rest is the
 * default of its own parameter. Of an account of another product nobody here knows anything.
 */
export const ownAccountValues = (iparams: IparamsConfig, { domain, apiKey }: OwnAccount): Record<string, IparamValue> =>
  Object.fromEntries(
    Object.entries(iparams).flatMap(([key, iparam]) => {
      if (otherProduct(iparam) !== undefined) return [];
      if (iparam.type === "domain") return [[key, domain]];
      return iparam.type === "api_key" ? [[key, apiKey]] : [];
    }),
  );
