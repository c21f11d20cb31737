import { CONFIGURATION_PATH, REFUSALS } from "./contract-values.ts";
import type { PanelOptions } from "../bridge/bridge.ts";
import { complain } from "./replies.ts";
import { objectOf, textOf, type SiteObject, type SiteOptions } from "./site-options.ts";

/** The query of the configuration and of the panel's page, which contains the configuration: the account, the languages and the topics of the page. */
export const pageQuery = (
  { account, alias }: SiteOptions,
  { locale = navigator.languages.join(), tags = [] }: PanelOptions,
): URLSearchParams => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ account, alias, locale, tags: tags.join() }))
    if (value) query.set(name, value);
  return query;
};

/**
 * Asks the service whether it shows the messenger on this page. A refusal is reported in the console. A service that can't be asked admits the page:
 * the panel reports its own state.
 * -> the service's configuration, as far as it is known; undefined if the service refuses the page
 * @errors rejects when the signal ends the request
 */
export const readConfiguration = async (options: SiteOptions, signal: AbortSignal): Promise<SiteObject | undefined> => {
  const { base } = options;
  const query = pageQuery(options, options.panel);
  // The origin of a file or a sandboxed frame is "null" here; that of its address differs from browser to browser.
  query.set("origin", globalThis.origin);
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
