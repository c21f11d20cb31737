import { AppRefused } from "../refused.ts";
import type { Connections } from "./connections.ts";

/** What there is one of here: an integration is authorised for one account at a time. */
const ONLY_ACCOUNT = "default";

/**
 * `$credentials.oauth({ version: "v1" }).get({ oauthName })`: the accounts that an integration is authorised for. No token is in it.
 * @assumed an account has no name that a person gave it, so it is called `default`
 * @errors AppRefused
 */
export const credentialsOf =
  ({ list }: Pick<Connections, "list">) =>
  async (name: unknown): Promise<{ readonly results: readonly { readonly account_name: string }[] }> => {
    const all = await list();
    const found = all.find((connection) => connection.name === name);
    if (!found) {
      const names = all.map((connection) => connection.name).join(", ") || "none";
      throw new AppRefused(
        404,
        `oauthName must name an integration of config/oauth_config.json (${names}); it was ${JSON.stringify(name)}`,
      );
    }
    return { results: found.authorized ? [{ account_name: ONLY_ACCOUNT }] : [] };
  };
