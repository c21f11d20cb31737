import { sessionClient } from "@parley/client/session";
import type { NewReport } from "@parley/contract";
import { sessionOptions } from "../../session/session.ts";

/** After a refused request the quota opens within a minute, for which the client would wait while the form says nothing. */
const client = sessionClient({ ...sessionOptions, retries: { maxTotalDelayMs: 2_000 } });

/** @errors INVALID_REPORT_RANGE, REPORT_QUOTA_EXCEEDED */
export const createReport = (body: NewReport): Promise<unknown> => client.reports.createReport({ body });
