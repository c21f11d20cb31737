import type { Database, Pool } from "@parley/database";
import { SCHEMA } from "../db/migrations.ts";
import type { Facts } from "../facts/index.ts";
import type { Slice } from "../http/slice.ts";
import type { Jobs, Tasks } from "../jobs/index.ts";
import type { ObjectsPart } from "../objects/part.ts";
import type { Ports } from "../ports.ts";
import { REPORT_CONFIG, type ReportConfig } from "./config.ts";
import { reportTasks } from "./making.ts";
import { reportSlice } from "./routes.ts";
import { reportStore } from "./store.ts";

export interface ReportsDeps {
  readonly database: Database;
  readonly pool: Pool;
  readonly facts: Pick<Facts, "caughtUp">;
  readonly jobs: Pick<Jobs, "later" | "wake">;
  readonly kept: ObjectsPart;
  readonly ports: Ports;
  readonly config?: ReportConfig | undefined;
  readonly log: (line: string) => void;
}

/** Raw reports: the endpoints, and the background work that makes and removes their files. */
export function reportsPart(deps: ReportsDeps): { readonly slice: Slice; readonly tasks: Tasks } {
  const { database, pool, facts, jobs, kept, ports, config = REPORT_CONFIG, log } = deps;
  const store = reportStore(pool);
  return {
    slice: reportSlice({ store, jobs, addresses: kept.addresses, ports, quota: config, days: config.days }),
    tasks: reportTasks({
      store,
      connect: () => database.connect(SCHEMA),
      objects: kept.objects,
      caughtUp: (patienceMs) => facts.caughtUp(patienceMs),
      now: ports.now,
      log,
    }),
  };
}
