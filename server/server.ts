import type { EventPayload, SetUpPayload } from "@parley/framework/sdk";
import { account } from "./account.ts";
import { refusalOf } from "./check-settings.ts";
import { greet } from "./greet.ts";
import { routeChoice } from "./route-choice.ts";
import { settingsOf } from "./settings.ts";

/** Events come in by the names in manifest.json. */
export default {
  onAppInstallHandler({ iparams }: SetUpPayload): void {
    const refusal = refusalOf(settingsOf(iparams));
    if (!refusal) return renderData();
    console.error(`${refusal.short} ${refusal.problem.message}`);
    renderData({ message: refusal.short });
  },
  onConversationCreateHandler: (event: EventPayload) =>
    greet(event, { account: account($request), db: $db, log: console }),
  onMessageCreateHandler: (event: EventPayload) =>
    routeChoice(event, { account: account($request), db: $db, log: console }),
};
