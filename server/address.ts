import { AccountRefusal } from "./lib/account-refusal.ts";
import type { PanelFunction } from "./lib/panel-call.ts";
import { claimRecord, putRecord } from "./lib/records.ts";

/** The address where it may be shown; else it was, and only another one can be. */
export type ShownAddress = { readonly address: string } | { readonly shown: true };

/** Of the app on this account; a renewed one ends the one before. */
export type TargetUrl = (options?: { readonly renew: true }) => Promise<string>;

const KEY = "address";
const FORBIDDEN = 403;

/**
 * The address at which other systems tell Concierge what happens. Who knows it may tell, so it is shown once; with `renew` another one
 * takes its place and is shown.
 */
export const panelAddress =
  (targetUrl: TargetUrl): PanelFunction<ShownAddress> =>
  async ({ renew }, { db, settings }) => {
    if (!settings.syncIn.isOn)
      throw new AccountRefusal(
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
