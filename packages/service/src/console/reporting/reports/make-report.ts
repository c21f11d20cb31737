import type { ReportNames, ReportFileContext } from "./columns.ts";
import { type ReportStore, type ReportWork, readPeriodRows } from "./store.ts";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import type { Connection } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import type { ConversationUrl } from "../../../messaging/directory/directory.ts";
import type { JobTask, JobTasks, TaskAttempt } from "../../../base/jobs/index.ts";
import type { ObjectStore } from "../../../base/objects/object-store.ts";
import { EVENT_REPORTS } from "./report-kinds.ts";
import { splitPeriod } from "./report-period.ts";
import { csvOf } from "./csv.ts";

/** Reads the names of an account's agents, groups and channels. */
async function namesOf(store: ReportStore, accountId: number): Promise<ReportNames> {
  const [agents, groups, channels] = await Promise.all([
    store.agents(accountId),
    store.groups(accountId),
    store.channels(accountId),
  ]);
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const groupNames = new Map(groups.map(({ id, name }) => [id, name]));
  const channelNames = new Map(channels.map(({ id, name }) => [id, name]));
  return {
    agent: (id) => (id === null ? undefined : byId.get(id)),
    group: (id) => (id === null ? undefined : groupNames.get(id)),
    channel: (id) => (id === null ? undefined : channelNames.get(id)),
  };
}

async function* csv(
  header: readonly string[],
  batches: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(csvOf([header]));
  for await (const records of batches) yield Buffer.from(csvOf(records));
}

/** A ZIP with one CSV file in UTF-8, created while it is read: only one batch is in memory. @errors the errors of the batches */
async function* zippedCsv(
  file: { readonly name: string; readonly time: Date },
  header: readonly string[],
  batches: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const content = Readable.from(csv(header, batches), { objectMode: false });
  const output = zip.outputStream as Readable;
  content.once("error", (error) => output.destroy(error));
  zip.once("error", (error) => output.destroy(error as Error));
  zip.addReadStream(content, file.name, { mtime: file.time });
  zip.end();
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    content.destroy();
  }
}

interface ReportTaskDeps {
  readonly store: ReportStore;
  /** Opens a connection for a long-running query. */
  readonly connect: () => Promise<Connection>;
  readonly objects: ObjectStore;
  /** -> true: every commit before the call is projected into the analytics tables */
  readonly caughtUp: (timeoutMs: number) => Promise<boolean>;
  readonly conversationUrl: ConversationUrl;
  readonly now: () => Date;
  /** Called when a file is finished, and when a report is removed. */
  readonly notifyChange: (accountId: number) => void;
  readonly log: Log;
}

/** Task names of reports. They are stored in the database. */
export const REPORT_LINK = "report_link";
export const REPORT_END = "report_end";

/** @assumed A file that can't be made in four attempts, which take more than a minute, is FAILED. */
const ATTEMPTS_MAX = 4;
/** How long an attempt waits for the projection of earlier commits. @units milliseconds */
const CATCH_UP_TIMEOUT_MS = 20_000;
/** Delay after the end of the range: rows with a time in the range may be committed shortly after it. @units milliseconds */
const SETTLE_DELAY_MS = 500;

/** Prefix of the object keys of an account's reports, without the slash at its end. */
export const accountReportsPrefix = (accountId: number): string => `reports/${accountId}`;

/** Object key of a finished file. */
export const reportObjectKey = (accountId: number, reportId: string, place: number): string =>
  `${accountReportsPrefix(accountId)}/${reportId}/${place}.zip`;

/** `Chat-Transcript_2026-03-01T00-00-00.000Z_2026-03-01T06-00-00.000Z`: some file systems allow no colon in a name. */
export const reportFileName = (event: string, from: Date, to: Date): string =>
  [event, from.toISOString(), to.toISOString()].join("_").replaceAll(":", "-");

const pauseUntilSettled = async ({ to_time }: ReportWork, now: Date): Promise<void> => {
  const age = now.getTime() - to_time.getTime();
  if (age < SETTLE_DELAY_MS) await new Promise((resolve) => setTimeout(resolve, SETTLE_DELAY_MS));
};

/** The records of a file, slice by slice. */
async function* recordsOf({ store, connect, conversationUrl }: ReportTaskDeps, work: ReportWork, signal: AbortSignal) {
  const event = EVENT_REPORTS[work.event];
  const context: ReportFileContext = {
    names: await namesOf(store, work.account_id),
    from: work.from_time,
    to: work.to_time,
    conversationUrl: (id) => conversationUrl(work.account_domain, id),
  };
  for (const { from, to } of splitPeriod(context, event.sliceMs ?? Infinity)) {
    const query = { rows: event.rows, accountId: work.account_id, from, to, signal };
    for await (const rows of readPeriodRows(connect, query))
      yield rows.map((row) => event.cells(row, context, work.without_pii));
  }
}

async function makeFile(
  deps: ReportTaskDeps,
  reportId: string,
  work: ReportWork,
  { signal }: TaskAttempt,
): Promise<void> {
  const { store, objects, caughtUp, now } = deps;
  await pauseUntilSettled(work, now());
  if (EVENT_REPORTS[work.event].fromAnalytics && !(await caughtUp(CATCH_UP_TIMEOUT_MS)))
    throw new Error("the analytics of the range are not up to date yet");
  signal.throwIfAborted();
  const name = reportFileName(work.event, work.from_time, work.to_time);
  const { header } = EVENT_REPORTS[work.event];
  const file = zippedCsv({ name: `${name}.csv`, time: now() }, header, recordsOf(deps, work, signal));
  const key = reportObjectKey(work.account_id, reportId, work.place);
  await objects.put(key, file);
  // The report was removed while its file was made, and no later task would remove the file.
  if (!(await store.end(reportId, work.place, "COMPLETED"))) await objects.remove(key);
}

/** Background tasks of reports. A repeated run has the same result: the file is replaced by an equal file. */
export const reportTasks = (deps: ReportTaskDeps): JobTasks => {
  const { store, objects, notifyChange, log } = deps;
  const makeLink: JobTask = async (payload, attempt) => {
    const { report, place } = payload as { report: string; place: number };
    const work = await store.begin(report, place);
    if (!work) return;
    try {
      await makeFile(deps, report, work, attempt);
    } catch (error) {
      if (attempt.signal.aborted || attempt.number < ATTEMPTS_MAX) throw error;
      log(`${work.event} failed: ${failureText(error)}`, { level: "error", part: "reports" });
      await store.end(report, place, "FAILED");
    }
    notifyChange(work.account_id);
  };
  const end: JobTask = async (payload) => {
    const { report, account } = payload as { report: string; account: number };
    const keys = (await store.links(report)).map(({ place }) => reportObjectKey(account, report, place));
    for (const key of keys) await objects.remove(key);
    await store.remove(report);
    notifyChange(account);
    // A file may have been finished in the meantime.
    for (const key of keys) await objects.remove(key);
  };
  return { [REPORT_LINK]: makeLink, [REPORT_END]: end };
};
