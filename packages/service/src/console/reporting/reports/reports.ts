import type { Database, Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { SERVICE_SCHEMA } from "../../../base/db/migrations.ts";
import type { Analytics } from "../measures/analytics.ts";
import type { NotifyOwnChange } from "../../../http/own-change.ts";
import type { ConversationUrl } from "../../../messaging/directory/directory.ts";
import type { ResourceRoutes } from "../../../http/route-handlers.ts";
import type { BackgroundJobs, JobTasks } from "../../../base/jobs/index.ts";
import type { OpenedObjects } from "../../../base/objects/open-objects.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { REPORT_CONFIG, type ReportConfig } from "./config.ts";
import { reportTasks } from "./make-report.ts";
import { reportRequestRoutes } from "./request-list.ts";
import { reportRoutes } from "./routes.ts";
import { reportStore } from "./store.ts";

interface ReportsDeps {
  readonly database: Database;
  readonly pool: Pool;
  readonly analytics: Pick<Analytics, "caughtUp">;
  readonly jobs: Pick<BackgroundJobs, "schedule" | "wake">;
  readonly openedObjects: OpenedObjects;
  readonly ports: Ports;
  readonly conversationUrl: ConversationUrl;
  readonly config?: ReportConfig | undefined;
  readonly notifyOwnChange: NotifyOwnChange;
  readonly log: Log;
}

interface Reports {
  readonly slice: ResourceRoutes;
  readonly consoleTable: ResourceRoutes;
  readonly tasks: JobTasks;
}

/** Raw reports: the endpoints, and the background tasks that create and remove their files. */
export function createReports(deps: ReportsDeps): Reports {
  const { database, pool, analytics, jobs, openedObjects, ports, conversationUrl, config = REPORT_CONFIG, log } = deps;
  const store = reportStore(pool);
  /** Pages that list the requests of the account read them again. */
  const notifyChange = (accountId: number): void =>
    deps.notifyOwnChange(accountId, undefined, { kind: "report_requests" });
  const { addresses } = openedObjects;
  return {
    slice: reportRoutes({ store, jobs, addresses, ports, quota: config, days: config.days, notifyChange }),
    consoleTable: reportRequestRoutes({ store, config }),
    tasks: reportTasks({
      store,
      connect: () => database.connect(SERVICE_SCHEMA),
      objects: openedObjects.objects,
      caughtUp: (timeoutMs) => analytics.caughtUp(timeoutMs),
      conversationUrl,
      now: ports.now,
      notifyChange,
      log,
    }),
  };
}
