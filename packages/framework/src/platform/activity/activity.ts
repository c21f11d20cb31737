import {
  APP_NOT_INSTALLED,
  APP_PAUSED,
  EVENT_NOT_HANDLED,
  INVOCATION_NOT_FOUND,
  INVOCATIONS_PAGE_SIZE,
  LISTED_SCHEDULES_MAX,
  refuse,
  SET_UP_EVENTS,
  type Invocation,
  type InvocationDetails,
  type InvocationSummary,
  type InstallationSchedule,
  type NewRaisedEvent,
  type RaisableEvent,
} from "@parley/contract";
import { samplePayload } from "../../control/samples.ts";
import type { Installation } from "../../installation/installations.ts";
import type { InvocationPageFilter } from "../../runtime/invocations/store.ts";
import type { RecordOwner } from "../../runtime/records/store.ts";
import type { ScheduleRow, ScheduleStore } from "../../runtime/schedules/store.ts";
import type { AppUnit } from "../../unit/app-unit.ts";
import type { LeaseHolder } from "../leases/store.ts";

interface ActivityDeps {
  /** The unit of an app that is installed, published or read from a folder; undefined where it is neither. */
  readonly unitOf: (owner: RecordOwner) => Promise<AppUnit | undefined>;
  readonly schedules: Pick<ScheduleStore, "list">;
  /** The other process of the platform that runs an installation. */
  readonly otherHolder: (installation: string) => Promise<LeaseHolder | undefined>;
  /** Raises the event in the process that runs the installation. */
  readonly raiseAt: (address: string, owner: RecordOwner, event: NewRaisedEvent) => Promise<Invocation>;
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

const SET_UP: readonly string[] = SET_UP_EVENTS;

/** Events of a unit that can be raised: each but those of the installation, which its steps raise. */
const raisableOf = (unit: AppUnit): { readonly event: string; readonly handler: string }[] => {
  const events = unit.project().handlers.filter(({ event }) => !SET_UP.includes(event));
  return [...new Map(events.map(({ event, handler }) => [event, { event, handler }])).values()];
};

/** What the installations of apps do, for the admins of their accounts. @errors Refusal */
export const createAppActivity = ({ unitOf, schedules, otherHolder, raiseAt, now }: ActivityDeps) => {
  const installed = async (owner: RecordOwner): Promise<{ unit: AppUnit; installation: Installation }> => {
    const unit = await unitOf(owner);
    const installation = await unit?.engine.installations.find();
    return unit && installation ? { unit, installation } : refuse(APP_NOT_INSTALLED);
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
      return raisableOf(unit).map(({ event, handler }) => ({
        event,
        handler,
        sample: { ...samplePayload(event, now(), installation) },
      }));
    },
    async raise(owner: RecordOwner, raised: NewRaisedEvent): Promise<InvocationDetails> {
      const { unit, installation } = await installed(owner);
      if (installation.state === "paused") refuse(APP_PAUSED);
      const events = raisableOf(unit).map(({ event }) => event);
      if (!events.includes(raised.event))
        refuse(EVENT_NOT_HANDLED, `The app does not handle ${raised.event}. It handles: ${events.join(", ")}.`);
      const holder = await otherHolder(installation.id);
      if (holder) return detailsOf(await raiseAt(holder.address, owner, raised));
      return detailsOf(await unit.engine.calls.raise(raised.event, raised.payload, installation));
    },
  };
};
export type AppActivity = ReturnType<typeof createAppActivity>;
