import type { AppSubscription, EventKind } from "@parley/contract";
import type { AdminHarness, AdminResponse } from "../../operations/administration/endpoints/admin-harness.ts";

/** A secret as the platform derives it. */
export const APP_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** The settings of a subscription that differ from those of a running app that receives all events. */
interface AppSubscriptionChange {
  readonly url?: string;
  readonly secret?: string;
  readonly events?: readonly EventKind[] | null;
  readonly paused?: boolean;
}

/** The subscription of one installed app, kept as the platform keeps it. */
export interface InstalledApp {
  put(change?: AppSubscriptionChange): Promise<AdminResponse<AppSubscription>>;
  remove(): Promise<AdminResponse<AppSubscription>>;
  /** Its present state; it is changed by nothing. */
  state(): Promise<AppSubscription>;
}

export const installedApp = (
  { adminRequest }: Pick<AdminHarness, "adminRequest">,
  {
    url,
    app = "concierge",
    account = "acme",
  }: { readonly url: string; readonly app?: string; readonly account?: string },
): InstalledApp => {
  const path = `/admin/accounts/${account}/app-subscriptions/${encodeURIComponent(app)}`;
  let settings = { url, secret: APP_SECRET, events: null as readonly EventKind[] | null, paused: false };
  const put = (change: AppSubscriptionChange = {}) => {
    settings = { ...settings, ...change };
    return adminRequest<AppSubscription>("PUT", path, settings);
  };
  return {
    put,
    remove: () => adminRequest<AppSubscription>("DELETE", path),
    async state() {
      const { code, body } = await put();
      if (code !== 200) throw new Error(`${code} ${body.status}: ${body.message}`);
      return body;
    },
  };
};
