import { RequestRefusedError } from "./lib/errors.ts";
import type { PanelFunction } from "./lib/panel-function.ts";
import { claimRecord, putRecord } from "./lib/records.ts";

/** The address, if it may be shown; `shown` if it was shown before, so that only a new one can be. */
export type ShownAddress = { readonly address: string } | { readonly shown: true };

/** URL for other systems, of the app on this account. A renewal revokes the previous one. */
export type TargetUrl = (options?: { readonly renew: true }) => Promise<string>;

const KEY = "address";
const FORBIDDEN = 403;

/**
 * The address at which other systems post events to Concierge. The address itself is the credential, so it is shown once; with `renew` a new one
 * replaces it and is shown.
 */
export const panelAddress =
  (targetUrl: TargetUrl): PanelFunction<ShownAddress> =>
  async ({ renew }, { db, settings }) => {
    if (!settings.syncIn.isOn)
      throw new RequestRefusedError(
        FORBIDDEN,
        "Taking in what other systems tell is switched off on the installation page.",
      );
    if (renew === true) {
      const address = await targetUrl({ renew: true });
      await putRecord(db, KEY, { shown: true });
      return { address };
    }
    return (await claimRecord(db, KEY, { shown: true })) ? { address: await targetUrl() } : { shown: true };
  };
