import type { EventHandler } from "@parley/framework/sdk";
import { afterHours, OPENING_SCHEDULE_KIND } from "./after-hours.ts";
import { applyMenuChoice } from "./apply-menu-choice.ts";
import { requestRating } from "./csat.ts";
import { followUp, IDLE_SCHEDULE_KIND } from "./follow-up.ts";
import { greet } from "./greet.ts";
import { captureLeads } from "./leads.ts";
import { RequestRefusedError } from "./lib/errors.ts";
import { createPanelHandler } from "./lib/panel-function.ts";
import { createUseCaseRunner, RETRY_SCHEDULE_KIND } from "./lib/use-case-runner.ts";
import { panelAssign } from "./panel-assign.ts";
import { panelAddress, panelOutbound, panelReply, panelView } from "./panel.ts";
import { countEvents, dailyReport, DIGEST_SCHEDULE, scheduleDigest } from "./report.ts";
import { routeConversation } from "./route-conversation.ts";
import { setUp, tearDown } from "./set-up.ts";
import { syncIn } from "./sync-in.ts";
import { syncOut } from "./sync-out.ts";

const { run, resume } = createUseCaseRunner({
  clients: () => ({ request: $request, db: $db, schedule: $schedule, log: console, end: () => renderData() }),
  useCases: [
    greet,
    applyMenuChoice,
    captureLeads,
    routeConversation,
    afterHours,
    requestRating,
    followUp,
    syncIn,
    syncOut,
    dailyReport,
    countEvents,
  ],
  useCasesAfter: { rated: [syncOut, countEvents], lead: [countEvents] },
});

/** Called before the app is installed, after an update, and at each change of the settings. An error of renderData refuses them. */
const onAppInstallHandler: EventHandler<"onAppInstall" | "afterAppUpdate"> = async (event) => {
  const refusal = await setUp(event, {
    schedule: $schedule,
    log: console,
    address: generateTargetUrl,
    scheduleReport: scheduleDigest,
  });
  renderData(refusal === undefined ? null : { message: refusal });
};

const onAppUninstallHandler: EventHandler<"onAppUninstall"> = async (event) => {
  await tearDown(event, { schedule: $schedule, scheduleReport: scheduleDigest });
  renderData();
};

/** The after-hours message precedes an assignment. */
const onConversationCreateHandler: EventHandler<"onConversationCreate"> = (event) =>
  run(event, [greet, captureLeads, afterHours, routeConversation]);

const onConversationUpdateHandler: EventHandler<"onConversationUpdate"> = (event) =>
  run(event, [requestRating, syncOut]);

const onMessageCreateHandler: EventHandler<"onMessageCreate"> = (event) =>
  run(event, [requestRating, followUp, captureLeads, applyMenuChoice, afterHours, routeConversation]);

const onUserCreateHandler: EventHandler<"onUserCreate"> = (event) => run(event, [syncOut]);

const onUserUpdateHandler: EventHandler<"onUserUpdate"> = (event) => run(event, [syncOut]);

/** A refused event is answered with the status and the reason. */
const onExternalEventHandler: EventHandler<"onExternalEvent"> = async (event) => {
  try {
    // Headers may contain a password of the sender and are not needed: a postponed event is stored without them.
    await run({ ...event, headers: {} }, [syncIn]);
  } catch (error) {
    if (!(error instanceof RequestRefusedError)) throw error;
    renderData({ status: error.status, message: error.message });
  }
};

const onScheduledEventHandler: EventHandler<"onScheduledEvent"> = (event) => {
  switch (event.data["kind"]) {
    case OPENING_SCHEDULE_KIND:
      return run(event, [afterHours]);
    case IDLE_SCHEDULE_KIND:
      return run(event, [followUp]);
    case DIGEST_SCHEDULE:
      return run(event, [dailyReport]);
    case RETRY_SCHEDULE_KIND:
      return resume(event);
  }
};

const panelHandler = createPanelHandler(() => ({ request: $request, db: $db, log: console, render: renderData }));

/** Handlers of events and functions for the panel, by their names in manifest.json. */
export default {
  onAppInstallHandler,
  afterAppUpdateHandler: onAppInstallHandler,
  onAppUninstallHandler,
  onConversationCreateHandler,
  onConversationUpdateHandler,
  onMessageCreateHandler,
  onUserCreateHandler,
  onUserUpdateHandler,
  onExternalEventHandler,
  onScheduledEventHandler,
  panelView: panelHandler(panelView),
  panelReply: panelHandler(panelReply),
  panelAssign: panelHandler(panelAssign),
  panelOutbound: panelHandler(panelOutbound),
  panelAddress: panelHandler(panelAddress((options) => generateTargetUrl(options))),
};
