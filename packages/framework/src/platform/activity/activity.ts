import {
  APP_NOT_INSTALLED,
  APP_PAUSED,
  EVENT_NOT_HANDLED,
  FAILED_RUN_NOT_FOUND,
  INVOCATION_NOT_FOUND,
  INVOCATIONS_PAGE_SIZE,
  LISTED_SCHEDULES_MAX,
  refuse,
  SCHEDULE_NOT_FOUND,
  type Invocation,
  type InvocationDetails,
  type InvocationSummary,
  type InstallationAction,
  type InstallationSchedule,
  type NewRaisedEvent,
  type RaisableEvent,
} from "@parley/contract";
import { createEventRaiser, type NamedEvent } from "../../control/raise.ts";
import { readTestData, samplePayload, TestDataUnusable } from "../../control/samples.ts";
import { installationReport, type ChangeAuthor } from "../../identity/change-reports.ts";
import type { ChangeReport } from "../../identity/change-reports.sql.ts";
import type { Installation } from "../../state/installations.ts";
import type { InvocationPageFilter } from "../../state/invocations.sql.ts";
import { scheduledPayload } from "../../runtime/calls/payload.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { ScheduleRow, ScheduleStore } from "../../state/schedules.sql.ts";
import type { AppUnit } from "../../unit/app-unit.ts";
import type { LeaseHolder } from "../leases/store.ts";

interface ActivityDeps {
  /** The unit of an app that is installed, published or read from a folder; undefined where it is neither. */
  readonly unitOf: (owner: RecordOwner) => Promise<AppUnit | undefined>;
  readonly schedules: Pick<ScheduleStore, "list" | "removeReported">;
  /** The other process of the platform that runs an installation. */
  readonly otherHolder: (installation: string) => Promise<LeaseHolder | undefined>;
  /** Raises the event in the process that runs the installation. */
  readonly raiseAt: (address: string, owner: RecordOwner, event: NewRaisedEvent) => Promise<Invocation>;
  /** Stores an entry for the audit log. */
  readonly report: (report: ChangeReport, now: Date) => Promise<void>;
  /** Called after each stored entry: it can be sent. */
  readonly reported: () => void;
  readonly newId: () => string;
  readonly now: () => Date;
}

interface InvocationPage {
  readonly invocations: readonly InvocationSummary[];
  readonly next_before?: string;
}

const summaryOf = ({ id, kind, event, handler, source, begun, ms, ok, error }: Invocation): InvocationSummary => ({
  id,
  kind,
  event,
  handler,
  ...(source !== undefined && { source }),
  begun,
  ms,
  ok,
  ...(error !== undefined && { error }),
});

const detailsOf = (invocation: Invocation): InvocationDetails => ({
  ...summaryOf(invocation),
  ...(invocation.stack !== undefined && { stack: invocation.stack }),
  payload: invocation.payload ?? null,
  ...(invocation.output !== undefined && { output: invocation.output }),
  lines: invocation.lines.map((line) => ({ ...line })),
  requests: invocation.requests.map((request) => ({ ...request })),
});

const scheduleOf = ({
  name,
  data,
  due_time,
  time_unit,
  frequency,
  created_time,
}: ScheduleRow): InstallationSchedule => ({
  name,
  data: JSON.parse(data) as InstallationSchedule["data"],
  ...(due_time && { next_time: due_time.toISOString() }),
  ...(time_unit !== null && frequency !== null && { repeat: { time_unit, frequency } }),
  created_time: created_time.toISOString(),
});

const SCHEDULED_EVENT = "onScheduledEvent";

/** The sample of an event or function: the file of an app's author, or a sample in the form that the service sends. */
const sampleOf = async (
  { project }: Pick<AppUnit, "project">,
  { event, module, kind }: NamedEvent,
  installation: Installation,
  now: Date,
): Promise<Pick<RaisableEvent, "sample" | "sample_file" | "problem">> => {
  try {
    const written = await readTestData(project().folder, module, event);
    if (written) return { sample: { ...written.payload }, sample_file: written.file };
  } catch (error) {
    if (!(error instanceof TestDataUnusable)) throw error;
    return { sample: {}, problem: error.message };
  }
  return { sample: kind === "function" ? {} : { ...samplePayload(event, now, installation) } };
};

/** Activity of the installations of apps, for the admins of their accounts. @errors Refusal */
export const createAppActivity = (deps: ActivityDeps) => {
  const { unitOf, schedules, now } = deps;
  const authorOf = ({ engine, project, invocations }: AppUnit) =>
    createEventRaiser({ ...engine, project, invocations, now });
  /**
   * Events of a unit that can be raised: of an app in a folder every event and function; of a published app each event but those of the
   * installation, which its steps raise.
   */
  const raisableOf = (unit: AppUnit): NamedEvent[] => {
    const all = authorOf(unit).named();
    if (unit.appVersion === undefined) return all;
    const events = all.filter(({ kind }) => kind !== "function" && kind !== "set-up");
    return [...new Map(events.map((each) => [each.event, { ...each, name: each.event }])).values()];
  };
  const installed = async (owner: RecordOwner): Promise<{ unit: AppUnit; installation: Installation }> => {
    const unit = await unitOf(owner);
    const installation = await unit?.engine.installations.find();
    return unit && installation ? { unit, installation } : refuse(APP_NOT_INSTALLED);
  };
  const reportOf = (owner: RecordOwner, author: ChangeAuthor, action: InstallationAction, member: string) => {
    const { account, project: app } = owner;
    return installationReport(author, { id: deps.newId(), account, app, action, members: [member] });
  };
  /** Stores the entry before the app acts: a call that ends with its process has an entry, too. */
  const report = async (...change: Parameters<typeof reportOf>): Promise<void> => {
    await deps.report(reportOf(...change), now());
    deps.reported();
  };

  /** @errors APP_PAUSED, EVENT_NOT_HANDLED */
  const checkRaisable = (unit: AppUnit, installation: Installation, event: string, isFunction = false): void => {
    if (installation.state === "paused") refuse(APP_PAUSED);
    const events = raisableOf(unit)
      .filter(({ kind }) => (kind === "function") === isFunction)
      .map(({ name }) => name);
    if (!events.includes(event))
      refuse(EVENT_NOT_HANDLED, `The app does not handle ${event}. It handles: ${events.join(", ")}.`);
  };
  /** Calls the handler in the process that runs the installation. */
  const call = async (
    owner: RecordOwner,
    { unit, installation }: { readonly unit: AppUnit; readonly installation: Installation },
    { event, payload }: NewRaisedEvent,
  ): Promise<Invocation> => {
    // A host of this process runs an app that is read from a folder.
    const holder = unit.appVersion === undefined ? undefined : await deps.otherHolder(installation.id);
    return holder
      ? deps.raiseAt(holder.address, owner, { event, payload })
      : unit.engine.calls.raise(event, payload, installation);
  };

  return {
    async invocations(owner: RecordOwner, filter: InvocationPageFilter): Promise<InvocationPage> {
      const { unit } = await installed(owner);
      const found = await unit.invocations.page(filter, INVOCATIONS_PAGE_SIZE + 1);
      const shown = found.slice(0, INVOCATIONS_PAGE_SIZE);
      const last = shown.at(-1);
      return {
        invocations: shown.map(summaryOf),
        ...(found.length > shown.length && last && { next_before: last.id }),
      };
    },
    async invocation(owner: RecordOwner, id: string): Promise<InvocationDetails> {
      const { unit } = await installed(owner);
      return detailsOf((await unit.invocations.find(id)) ?? refuse(INVOCATION_NOT_FOUND));
    },
    async schedules(owner: RecordOwner) {
      const { unit } = await installed(owner);
      const [listed, failed] = await Promise.all([
        schedules.list(unit.engine.owner, LISTED_SCHEDULES_MAX),
        unit.engine.failures.list(),
      ]);
      return {
        schedules: listed.map(scheduleOf),
        failed: failed
          .slice(-LISTED_SCHEDULES_MAX)
          .reverse()
          .map((run) => ({ ...run, data: { ...run.data } })),
      };
    },
    async events(owner: RecordOwner): Promise<RaisableEvent[]> {
      const { unit, installation } = await installed(owner);
      return Promise.all(
        raisableOf(unit).map(async (each) => {
          const { name: event, kind, handler } = each;
          return { event, kind, handler, ...(await sampleOf(unit, each, installation, now())) };
        }),
      );
    },
    async raise(owner: RecordOwner, raised: NewRaisedEvent, author: ChangeAuthor): Promise<InvocationDetails> {
      const found = await installed(owner);
      const { event, is_function: isFunction = false, payload } = raised;
      checkRaisable(found.unit, found.installation, event, isFunction);
      await report(owner, author, "app.raise_event", event);
      return detailsOf(
        isFunction
          ? await authorOf(found.unit).invoke({ name: event, args: payload })
          : await call(owner, found, { event, payload }),
      );
    },
    async deleteSchedule(owner: RecordOwner, name: string, author: ChangeAuthor): Promise<InstallationSchedule> {
      await installed(owner);
      const entry = reportOf(owner, author, "app.delete_schedule", name);
      const removed = await schedules.removeReported(owner, name, entry, now());
      if (!removed) return refuse(SCHEDULE_NOT_FOUND);
      deps.reported();
      return scheduleOf(removed);
    },
    /** The failed run is removed when the handler succeeds. */
    async replayFailedRun(owner: RecordOwner, id: string, author: ChangeAuthor): Promise<InvocationDetails> {
      const found = await installed(owner);
      const { unit, installation } = found;
      const run = (await unit.engine.failures.find(id)) ?? refuse(FAILED_RUN_NOT_FOUND);
      checkRaisable(unit, installation, SCHEDULED_EVENT);
      await report(owner, author, "app.replay_schedule", run.name);
      const payload = { ...scheduledPayload(run, unit.project().manifest, installation, now()) };
      const invocation = await call(owner, found, { event: SCHEDULED_EVENT, payload });
      if (invocation.ok) await unit.engine.failures.remove(id);
      return detailsOf(invocation);
    },
  };
};
