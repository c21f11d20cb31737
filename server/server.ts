import type { EventPayload, ExternalPayload, ScheduledPayload, SetUpPayload } from "@parley/framework/sdk";
import { afterHours } from "./after-hours.ts";
import { choose } from "./choose.ts";
import { requestRating } from "./csat.ts";
import { followUp } from "./follow-up.ts";
import { greet } from "./greet.ts";
import { captureLeads } from "./leads.ts";
import { createPanelHandler } from "./lib/panel-function.ts";
import { RequestRefusedError } from "./lib/errors.ts";
import { RETRY_SCHEDULE_KIND, createUseCaseRunner } from "./lib/use-case-runner.ts";
import { panelAssign } from "./panel-assign.ts";
import { panelAddress, panelOutbound, panelReply, panelView } from "./panel.ts";
import { countEvents, dailyReport, scheduleDigest } from "./report.ts";
import { route } from "./route.ts";
import { setUp, tearDown } from "./set-up.ts";
import { syncIn } from "./sync-in.ts";
import { syncOut } from "./sync-out.ts";

const USE_CASES = [
  greet,
  choose,
  captureLeads,
  route,
  afterHours,
  requestRating,
  followUp,
  syncIn,
  syncOut,
  dailyReport,
  countEvents,
];

/** The use cases of each event, in order: after-hours runs before routing, so that its message precedes an assignment. */
const USE_CASES_BY_EVENT = {
  onConversationCreate: [greet, captureLeads, afterHours, route],
  onConversationUpdate: [requestRating, syncOut],
  onMessageCreate: [requestRating, followUp, captureLeads, choose, afterHours, route],
  onUserCreate: [syncOut],
  onUserUpdate: [syncOut],
  onExternalEvent: [syncIn],
} as const;

const createRunner = () =>
  createUseCaseRunner(USE_CASES, {
    request: $request,
    db: $db,
    schedule: $schedule,
    log: console,
    end: () => renderData(),
  });
const handlerFor =
  (event: keyof typeof USE_CASES_BY_EVENT) =>
  (payload: EventPayload | ExternalPayload): Promise<void> =>
    createRunner().run(
      USE_CASES_BY_EVENT[event].map(({ name }) => name),
      payload,
    );

/** Answers a refused event with the status and the reason. */
const respondToRefusal = async (act: () => Promise<void>): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof RequestRefusedError)) throw error;
    renderData({ status: error.status, message: error.message });
  }
};

/** Functions that the agent's panel calls. */
const panelHandler = createPanelHandler(() => ({ request: $request, db: $db, log: console, render: renderData }));

const handleInstallation = async (payload: SetUpPayload): Promise<void> => {
  const refusal = await setUp(payload, {
    schedule: $schedule,
    log: console,
    address: generateTargetUrl,
    scheduleReport: scheduleDigest,
  });
  renderData(refusal === undefined ? null : { message: refusal });
};

/** Use case of each schedule, by the `kind` of its data. */
const SCHEDULED: Readonly<Record<string, string>> = {
  opening: afterHours.name,
  idle: followUp.name,
  digest: dailyReport.name,
};

/** Handlers, by the names in manifest.json. */
export default {
  onAppInstallHandler: handleInstallation,
  afterAppUpdateHandler: handleInstallation,
  async onAppUninstallHandler(payload: SetUpPayload): Promise<void> {
    await tearDown(payload, { schedule: $schedule, scheduleReport: scheduleDigest });
    renderData();
  },
  onConversationCreateHandler: handlerFor("onConversationCreate"),
  onConversationUpdateHandler: handlerFor("onConversationUpdate"),
  onMessageCreateHandler: handlerFor("onMessageCreate"),
  onUserCreateHandler: handlerFor("onUserCreate"),
  onUserUpdateHandler: handlerFor("onUserUpdate"),
  /** Headers may contain a password of the sender and are not needed: a postponed event is stored without them. */
  onExternalEventHandler: (payload: ExternalPayload) =>
    respondToRefusal(() => handlerFor("onExternalEvent")({ ...payload, headers: {} })),
  panelView: panelHandler(panelView),
  panelReply: panelHandler(panelReply),
  panelAssign: panelHandler(panelAssign),
  panelOutbound: panelHandler(panelOutbound),
  panelAddress: panelHandler(panelAddress((options) => generateTargetUrl(options))),
  onScheduledEventHandler(payload: ScheduledPayload): Promise<void> | undefined {
    const { kind, key } = payload.data;
    if (kind === RETRY_SCHEDULE_KIND) return createRunner().resume(String(key), payload);
    const name = typeof kind === "string" && Object.hasOwn(SCHEDULED, kind) ? SCHEDULED[kind] : undefined;
    return name === undefined ? undefined : createRunner().run([name], payload);
  },
};
