import { AUDIT_LOG_DAYS, DURATION_UNITS_MS } from "@parley/contract";
import type { Pool } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { runLoop } from "../../base/concurrency/run-loop.ts";
import { createStopController, sleep } from "../../base/concurrency/wake-signal.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { createRecordAudit } from "./record.sql.ts";
import { auditHandlers } from "./routes.ts";
import { auditStore } from "./store.ts";

/** Interval at which old entries are deleted. @units milliseconds */
const SWEEP_INTERVAL_MS = DURATION_UNITS_MS.h;

interface AuditLogDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  /** Days for which entries are kept; the default when absent. */
  readonly days?: number | undefined;
  readonly log: Log;
}

/** The audit log: who changed what, when and from where. */
export function createAuditLog({ pool, ports, days = AUDIT_LOG_DAYS, log }: AuditLogDeps) {
  const recordAudit = createRecordAudit(ports);
  const stop = createStopController();
  const sweep = async () => {
    await auditStore(pool).deleteBefore(new Date(ports.now().getTime() - days * DURATION_UNITS_MS.d));
    await sleep(SWEEP_INTERVAL_MS, stop.signal);
  };
  let sweeping: Promise<void> | undefined;
  return {
    recordAudit,
    handlers: auditHandlers({ pool, recordAudit }),
    begin() {
      sweeping = runLoop("deleting old entries of the audit log", sweep, { signal: stop.signal, log });
    },
    async close() {
      stop.abort();
      await sweeping;
    },
  };
}
