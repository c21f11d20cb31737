import type { Connection } from "@parley/database";
import type { Task, Tasks, Try } from "../jobs/index.ts";
import { lineOf } from "../events/loop.ts";
import type { ObjectStore } from "../objects/objects.ts";
import type { Stretch } from "./column.ts";
import { stretchRows } from "./db/rows.ts";
import { EVENT_REPORTS } from "./events/index.ts";
import { zippedCsv } from "./file.ts";
import { namesOf } from "./names.ts";
import { stretchesOf } from "./range.ts";
import type { ReportStore, Work } from "./store.ts";

export interface MakingDeps {
  readonly store: ReportStore;
  /** Opens a connection for a long read. */
  readonly connect: () => Promise<Connection>;
  readonly objects: ObjectStore;
  /** -> true: all that was committed before the call is in the tables of facts */
  readonly caughtUp: (patienceMs: number) => Promise<boolean>;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}

/** Tasks of reports. Their names stand in the database. */
export const REPORT_LINK = "report_link";
export const REPORT_END = "report_end";

/** @assumed A file that can't be made in four tries, which takes over a minute, is FAILED. */
const TRIES = 4;
/** How long a try waits until what was committed is told. @units milliseconds */
const PATIENCE = 20_000;
/** What was said before the end of a stretch is committed a moment after it. @units milliseconds */
const SETTLING = 500;

/** Where a finished file lies. */
export const keyOf = (accountId: number, reportId: string, place: number): string =>
  `reports/${accountId}/${reportId}/${place}.zip`;

/** `Chat-Transcript_2026-03-01T00-00-00.000Z_2026-03-01T06-00-00.000Z`: a colon is no letter of a file's name everywhere. */
export const fileNameOf = (event: string, from: Date, to: Date): string =>
  [event, from.toISOString(), to.toISOString()].join("_").replaceAll(":", "-");

const pauseUntilSettled = async ({ to_time }: Work, now: Date): Promise<void> => {
  const age = now.getTime() - to_time.getTime();
  if (age < SETTLING) await new Promise((resolve) => setTimeout(resolve, SETTLING));
};

/** The records of a stretch, slice by slice. */
async function* recordsOf({ store, connect }: MakingDeps, work: Work, signal: AbortSignal) {
  const event = EVENT_REPORTS[work.event];
  const stretch: Stretch = {
    names: await namesOf(store, work.account_id),
    from: work.from_time,
    to: work.to_time,
    conversationUrl: (id) => `https://${work.account_domain}/conversations/${id}`,
  };
  for (const { from, to } of stretchesOf(stretch, event.slice ?? Infinity)) {
    const query = { rows: event.rows, accountId: work.account_id, from, to, signal };
    for await (const rows of stretchRows(connect, query))
      yield rows.map((row) => event.cells(row, stretch, work.without_pii));
  }
}

async function make(deps: MakingDeps, reportId: string, work: Work, { signal }: Try): Promise<void> {
  const { store, objects, caughtUp, now } = deps;
  await pauseUntilSettled(work, now());
  if (EVENT_REPORTS[work.event].fromFacts && !(await caughtUp(PATIENCE)))
    throw new Error("the facts of the range are not told yet");
  signal.throwIfAborted();
  const name = fileNameOf(work.event, work.from_time, work.to_time);
  const { header } = EVENT_REPORTS[work.event];
  const file = zippedCsv({ name: `${name}.csv`, time: now() }, header, recordsOf(deps, work, signal));
  const key = keyOf(work.account_id, reportId, work.place);
  await objects.put(key, file);
  // Removed while its file was made: nobody would remove that.
  if (!(await store.end(reportId, work.place, "COMPLETED"))) await objects.remove(key);
}

/** The background work of reports. Each may run twice: a file is replaced by the same one. */
export const reportTasks = (deps: MakingDeps): Tasks => {
  const { store, objects, log } = deps;
  const makeLink: Task = async (payload, attempt) => {
    const { report, place } = payload as { report: string; place: number };
    const work = await store.begin(report, place);
    if (!work) return;
    try {
      await make(deps, report, work, attempt);
    } catch (error) {
      if (attempt.signal.aborted || attempt.number < TRIES) throw error;
      log(`reports: ${work.event} failed: ${lineOf(error)}`);
      await store.end(report, place, "FAILED");
    }
  };
  const end: Task = async (payload) => {
    const { report, account } = payload as { report: string; account: number };
    const keys = (await store.links(report)).map(({ place }) => keyOf(account, report, place));
    for (const key of keys) await objects.remove(key);
    await store.remove(report);
    // One that was finished meanwhile.
    for (const key of keys) await objects.remove(key);
  };
  return { [REPORT_LINK]: makeLink, [REPORT_END]: end };
};
