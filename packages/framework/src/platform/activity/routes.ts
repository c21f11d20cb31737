import { appActivity } from "@parley/contract";
import type { Pool } from "@parley/database";
import type { FastifyInstance } from "fastify";
import { addChangeReport } from "../../identity/change-reports.sql.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import { scheduleStore } from "../../state/schedules.sql.ts";
import { serveRows, type AuthorizeRow } from "../api/serve-rows.ts";
import { liveAppOf, type LiveApp } from "../folder-apps/folder-apps.ts";
import type { PlatformRuntime } from "../process/runtime.ts";
import type { PublishedUnits } from "../published/published-units.ts";
import type { PublishedInstallationStore } from "../published/store.ts";
import { createAppActivity } from "./activity.ts";
import { createRaiseAtProcess } from "./raise-at-process.ts";

interface ActivityRoutesDeps {
  readonly pool: Pool;
  readonly store: Pick<PublishedInstallationStore, "find">;
  readonly units: Pick<PublishedUnits, "open">;
  readonly runtime: Pick<PlatformRuntime, "leases" | "forwarding">;
  /** Apps that hosts of this process read from folders. */
  readonly liveApps: () => readonly LiveApp[];
  readonly adminKey: string;
  /** Host name of the site of an installation, with its port. */
  readonly siteHostOf: (owner: RecordOwner) => string;
  /** Called after each entry for the audit log: it can be sent. */
  readonly reported: () => void;
  readonly newId: () => string;
  readonly now: () => Date;
  readonly authorize: AuthorizeRow;
}

/** Routes of what installations do: calls of handlers, schedules, raised events. */
export const activityRoutes = (scope: FastifyInstance, deps: ActivityRoutesDeps): void => {
  const { pool, store, units, runtime, now, authorize } = deps;
  const activity = createAppActivity({
    unitOf: async (owner) =>
      liveAppOf(deps.liveApps(), owner)?.unit ?? ((await store.find(owner)) ? units.open(owner) : undefined),
    schedules: scheduleStore(pool),
    otherHolder: (id) => runtime.leases.otherHolder(id),
    raiseAt: createRaiseAtProcess({ ...deps, headersFor: (owner) => runtime.forwarding.headersFor(owner) }),
    report: (report, time) => pool.transaction((tx) => addChangeReport(tx, report, time)),
    reported: deps.reported,
    newId: deps.newId,
    now,
  });
  const ownerOf = ({ account, name }: { readonly account: string; readonly name: string }) => ({
    project: name,
    account,
  });
  serveRows(
    scope,
    appActivity,
    {
      async listInvocations({ params, query }) {
        const { event, result, source, from, to, before } = query;
        const page = await activity.invocations(ownerOf(params), {
          ...(event !== undefined && { event }),
          ...(result !== undefined && { ok: result === "succeeded" }),
          ...(source !== undefined && { source }),
          ...(from !== undefined && { from: new Date(from) }),
          ...(to !== undefined && { to: new Date(to) }),
          ...(before !== undefined && { before }),
        });
        return { ...page, invocations: [...page.invocations] };
      },
      getInvocation: ({ params }) => activity.invocation(ownerOf(params), params.invocation_id),
      listSchedules: ({ params }) => activity.schedules(ownerOf(params)),
      listRaisableEvents: async ({ params }) => ({ events: await activity.events(ownerOf(params)) }),
      deleteSchedule: ({ params, query }, author) => activity.deleteSchedule(ownerOf(params), query.schedule, author),
      replayFailedRun: ({ params }, author) => activity.replayFailedRun(ownerOf(params), params.run_id, author),
      raiseEvent: ({ params, body }, author) => activity.raise(ownerOf(params), body, author),
    },
    { authorize },
  );
};
