import { CONFIGURATION_PATH, REFUSALS } from "./contract-values.ts";
import { complain } from "./replies.ts";
import { objectOf, textOf, type SiteObject, type SiteOptions } from "./site-options.ts";

/** The query that names the account of the page, for the configuration and for the panel. */
export const accountQuery = ({ account, alias }: SiteOptions): URLSearchParams =>
  new URLSearchParams({ ...(account !== undefined && { account }), ...(alias !== undefined && { alias }) });

/**
 * Asks the service whether it shows the messenger on this page. A refusal is reported in the console. A service that can't be asked admits the page:
 * the panel reports its own state.
 * -> the service's configuration, as far as it is known; undefined if the service refuses the page
 * @errors rejects when the signal ends the request
 */
export const readConfiguration = async (options: SiteOptions, signal: AbortSignal): Promise<SiteObject | undefined> => {
  const { base } = options;
  const query = accountQuery(options);
  // The origin of a file or a sandboxed frame is "null" here; that of its address differs from browser to browser.
  query.set("origin", globalThis.origin);
  query.set("locale", String(options.panel.locale ?? navigator.languages));
  try {
    const response = await fetch(`${base}${CONFIGURATION_PATH}?${query}`, { credentials: "omit", signal });
    const body = objectOf(await response.json().catch(() => undefined));
    if (body["is_alias_known"] === false)
      complain(
        `The account ${textOf(body["account"])} has no alias ${options.alias}. Add it under Web messenger in the administration.`,
      );
    if (response.ok) return body;
    const isRefused = REFUSALS.includes(body["status"]);
    const message = textOf(body["message"]) ?? "";
    complain(isRefused ? message : `${base} answered with the status ${response.status}: ${message}`);
    if (isRefused && options.alias !== undefined) complain(`The alias of this page is ${options.alias}.`);
    return isRefused ? undefined : {};
  } catch (error) {
    if (signal.aborted) throw error;
    complain(
      `${base} can't be reached. Check that it runs, and that the page's content policy has connect-src ${base}.`,
    );
    return {};
  }
};
