import type { EventPayload, ExternalPayload, ScheduledPayload, SetUpPayload } from "@parley/framework/sdk";
import { panelAddress } from "./panel-address.ts";
import { afterHours } from "./after-hours.ts";
import { choose } from "./choose.ts";
import { createCsatUseCase } from "./csat.ts";
import { followUp } from "./follow-up.ts";
import { greet } from "./greet.ts";
import { leads } from "./leads.ts";
import { panelCalls } from "./lib/panel-function.ts";
import { AccountRefusal } from "./lib/errors.ts";
import { RETRY_KEY, createUseCaseRunner } from "./lib/use-case-runner.ts";
import { panelAssign } from "./panel-assign.ts";
import { panelOutbound } from "./panel-outbound.ts";
import { panelReply, panelView } from "./panel.ts";
import { count, createReportUseCase, scheduleDigest } from "./report.ts";
import { route } from "./route.ts";
import { setUp, tearDown } from "./set-up.ts";
import { syncIn } from "./sync-in.ts";
import { syncOut } from "./sync-out.ts";

const USE_CASES = [
  greet,
  choose,
  leads,
  route,
  afterHours,
  createCsatUseCase,
  followUp,
  syncIn,
  syncOut,
  createReportUseCase,
  count,
];

/** The use cases of each event, in order: after-hours runs before routing, so that its message precedes an assignment. */
const USE_CASES_BY_EVENT = {
  onConversationCreate: [greet, leads, afterHours, route],
  onConversationUpdate: [createCsatUseCase, syncOut],
  onMessageCreate: [createCsatUseCase, followUp, leads, choose, afterHours, route],
  onUserCreate: [syncOut],
  onUserUpdate: [syncOut],
  onExternalEvent: [syncIn],
} as const;

const work = () =>
  createUseCaseRunner(USE_CASES, {
    request: $request,
    db: $db,
    schedule: $schedule,
    log: console,
    end: () => renderData(),
  });
const at =
  (event: keyof typeof USE_CASES_BY_EVENT) =>
  (payload: EventPayload | ExternalPayload): Promise<void> =>
    work().run(
      USE_CASES_BY_EVENT[event].map(({ name }) => name),
      payload,
    );

/** Answers a refused event with the status and the reason. */
const refusing = async (act: () => Promise<void>): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof AccountRefusal)) throw error;
    renderData({ status: error.status, message: error.message });
  }
};

/** Functions that the agent's panel calls. */
const panel = panelCalls(() => ({ request: $request, db: $db, log: console, render: renderData }));

const installed = async (payload: SetUpPayload): Promise<void> => {
  const refusal = await setUp(payload, {
    schedule: $schedule,
    log: console,
    address: generateTargetUrl,
    plan: scheduleDigest,
  });
  renderData(refusal === undefined ? null : { message: refusal });
};

/** Use case of each schedule, by the `kind` of its data. */
const SCHEDULED: Readonly<Record<string, string>> = {
  opening: afterHours.name,
  idle: followUp.name,
  digest: createReportUseCase.name,
};

/** Handlers, by the names in manifest.json. */
export default {
  onAppInstallHandler: installed,
  afterAppUpdateHandler: installed,
  async onAppUninstallHandler(payload: SetUpPayload): Promise<void> {
    await tearDown(payload, { schedule: $schedule, plan: scheduleDigest });
    renderData();
  },
  onConversationCreateHandler: at("onConversationCreate"),
  onConversationUpdateHandler: at("onConversationUpdate"),
  onMessageCreateHandler: at("onMessageCreate"),
  onUserCreateHandler: at("onUserCreate"),
  onUserUpdateHandler: at("onUserUpdate"),
  /** Headers may contain a password of the sender and are not needed: a postponed event is stored without them. */
  onExternalEventHandler: (payload: ExternalPayload) =>
    refusing(() => at("onExternalEvent")({ ...payload, headers: {} })),
  panelView: panel(panelView),
  panelReply: panel(panelReply),
  panelAssign: panel(panelAssign),
  panelOutbound: panel(panelOutbound),
  panelAddress: panel(panelAddress((options) => generateTargetUrl(options))),
  onScheduledEventHandler(payload: ScheduledPayload): Promise<void> | undefined {
    const { kind, key } = payload.data;
    if (kind === RETRY_KEY) return work().again(String(key), payload);
    const name = typeof kind === "string" && Object.hasOwn(SCHEDULED, kind) ? SCHEDULED[kind] : undefined;
    return name === undefined ? undefined : work().run([name], payload);
  },
};
