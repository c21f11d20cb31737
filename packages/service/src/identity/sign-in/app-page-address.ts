import { FRAME_LABEL_PREFIX, urlOf } from "@parley/contract";

/** The address of an app's page. */
export interface AppPageAddress {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/** @units characters */
const LENGTH_MAX = 2_048;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Characters that browsers neither drop nor change: no space, control character, backslash or character beyond ASCII. */
const PLAIN_TEXT = /^[!-[\]-~]+$/;

/** Host of apps on this machine. Each port is admitted, because a ticket is valid for the origin that it was issued for. */
export const LOCAL_APPS_URL = "http://apps.localhost";

/**
 * Creates the check of an address to which a browser is sent with a ticket. Only pages of apps are such addresses: those at the origin
 * `appsUrl`, and at host names one label below it with the same scheme and port, except those of frames, where an app's own code runs.
 * @shape appsUrl: undefined: apps of this machine
 * -> undefined for any other text, and for an address that is not written as a browser writes it
 */
export const createAppPageAddressOf = (appsUrl: string | undefined): ((text: string) => AppPageAddress | undefined) => {
  const apps = new URL(appsUrl ?? LOCAL_APPS_URL);
  const isPort = (port: string): boolean => appsUrl === undefined || port === apps.port;
  const suffix = `.${apps.hostname}`;
  const isPageLabel = (label: string): boolean => LABEL.test(label) && !label.startsWith(FRAME_LABEL_PREFIX);
  const isAppHost = (hostname: string): boolean =>
    hostname === apps.hostname || (hostname.endsWith(suffix) && isPageLabel(hostname.slice(0, -suffix.length)));
  return (text) => {
    const url = text.length <= LENGTH_MAX && PLAIN_TEXT.test(text) ? urlOf(text) : undefined;
    if (!url || url.protocol !== apps.protocol || !isPort(url.port) || !isAppHost(url.hostname)) return undefined;
    // User information, a default port, capital or encoded letters: the text begins in another way than the origin.
    if (!text.startsWith(url.origin) || !/^(?:$|[/?#])/.test(text.slice(url.origin.length))) return undefined;
    return { origin: url.origin, path: url.pathname + url.search };
  };
};
