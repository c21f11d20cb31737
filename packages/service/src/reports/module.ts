import type { Database, Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../db/migrations.ts";
import type { Analytics } from "../analytics/analytics.ts";
import type { ConversationUrl } from "../directory/directory.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";
import type { BackgroundJobs, JobTasks } from "../jobs/index.ts";
import type { OpenedObjects } from "../objects/open-objects.ts";
import type { Ports } from "../environment/ports.ts";
import { REPORT_CONFIG, type ReportConfig } from "./config.ts";
import { reportTasks } from "./make-report.ts";
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
  readonly log: (line: string) => void;
}

/** Raw reports: the endpoints, and the background tasks that create and remove their files. */
export function createReportsModule(deps: ReportsDeps): { readonly slice: ResourceRoutes; readonly tasks: JobTasks } {
  const { database, pool, analytics, jobs, openedObjects, ports, conversationUrl, config = REPORT_CONFIG, log } = deps;
  const store = reportStore(pool);
  return {
    slice: reportRoutes({ store, jobs, addresses: openedObjects.addresses, ports, quota: config, days: config.days }),
    tasks: reportTasks({
      store,
      connect: () => database.connect(SERVICE_SCHEMA),
      objects: openedObjects.objects,
      caughtUp: (timeoutMs) => analytics.caughtUp(timeoutMs),
      conversationUrl,
      now: ports.now,
      log,
    }),
  };
}
