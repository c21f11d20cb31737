import type { ReportNames, ReportStretch } from "./columns.ts";
import type { ReportStore, ReportWork } from "./store.ts";
import { Readable } from "node:stream";
import { stringify } from "csv-stringify/sync";
import { ZipFile } from "yazl";
import type { Connection } from "@parley/database";
import type { JobTask, JobTasks, TaskAttempt } from "../jobs/index.ts";
import { firstLineOf } from "../concurrency/run-loop.ts";
import type { ObjectStore } from "../objects/object-store.ts";
import { readStretchRows } from "./rows.sql.ts";
import { EVENT_REPORTS } from "./report-kinds.ts";
import { stretchesOf } from "./report-period.ts";

/** Reads what ids of an account's agents, groups and channels stand for. */
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

/**
 * Writes records as RFC 4180 says, the header first, also above none.
 * @assumed A text that a spreadsheet would take for a formula gets an apostrophe before it, since strangers write the messages.
 */
const csvOf = (records: readonly (readonly string[])[]): string =>
  stringify(records as string[][], { record_delimiter: "\r\n", escape_formulas: true });

async function* csv(
  header: readonly string[],
  batches: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(csvOf([header]));
  for await (const records of batches) yield Buffer.from(csvOf(records));
}

/** A ZIP with one CSV in UTF-8, made as it is read: never more of it is in memory than a batch. @errors what the batches throw */
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

interface MakingDeps {
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
export const reportObjectKey = (accountId: number, reportId: string, place: number): string =>
  `reports/${accountId}/${reportId}/${place}.zip`;

/** `Chat-Transcript_2026-03-01T00-00-00.000Z_2026-03-01T06-00-00.000Z`: a colon is no letter of a file's name everywhere. */
export const reportFileName = (event: string, from: Date, to: Date): string =>
  [event, from.toISOString(), to.toISOString()].join("_").replaceAll(":", "-");

const pauseUntilSettled = async ({ to_time }: ReportWork, now: Date): Promise<void> => {
  const age = now.getTime() - to_time.getTime();
  if (age < SETTLING) await new Promise((resolve) => setTimeout(resolve, SETTLING));
};

/** The records of a stretch, slice by slice. */
async function* recordsOf({ store, connect }: MakingDeps, work: ReportWork, signal: AbortSignal) {
  const event = EVENT_REPORTS[work.event];
  const stretch: ReportStretch = {
    names: await namesOf(store, work.account_id),
    from: work.from_time,
    to: work.to_time,
    conversationUrl: (id) => `https://${work.account_domain}/conversations/${id}`,
  };
  for (const { from, to } of stretchesOf(stretch, event.slice ?? Infinity)) {
    const query = { rows: event.rows, accountId: work.account_id, from, to, signal };
    for await (const rows of readStretchRows(connect, query))
      yield rows.map((row) => event.cells(row, stretch, work.without_pii));
  }
}

async function make(deps: MakingDeps, reportId: string, work: ReportWork, { signal }: TaskAttempt): Promise<void> {
  const { store, objects, caughtUp, now } = deps;
  await pauseUntilSettled(work, now());
  if (EVENT_REPORTS[work.event].fromFacts && !(await caughtUp(PATIENCE)))
    throw new Error("the facts of the range are not told yet");
  signal.throwIfAborted();
  const name = reportFileName(work.event, work.from_time, work.to_time);
  const { header } = EVENT_REPORTS[work.event];
  const file = zippedCsv({ name: `${name}.csv`, time: now() }, header, recordsOf(deps, work, signal));
  const key = reportObjectKey(work.account_id, reportId, work.place);
  await objects.put(key, file);
  // Removed while its file was made: nobody would remove that.
  if (!(await store.end(reportId, work.place, "COMPLETED"))) await objects.remove(key);
}

/** The background work of reports. Each may run twice: a file is replaced by the same one. */
export const reportTasks = (deps: MakingDeps): JobTasks => {
  const { store, objects, log } = deps;
  const makeLink: JobTask = async (payload, attempt) => {
    const { report, place } = payload as { report: string; place: number };
    const work = await store.begin(report, place);
    if (!work) return;
    try {
      await make(deps, report, work, attempt);
    } catch (error) {
      if (attempt.signal.aborted || attempt.number < TRIES) throw error;
      log(`reports: ${work.event} failed: ${firstLineOf(error)}`);
      await store.end(report, place, "FAILED");
    }
  };
  const end: JobTask = async (payload) => {
    const { report, account } = payload as { report: string; account: number };
    const keys = (await store.links(report)).map(({ place }) => reportObjectKey(account, report, place));
    for (const key of keys) await objects.remove(key);
    await store.remove(report);
    // One that was finished meanwhile.
    for (const key of keys) await objects.remove(key);
  };
  return { [REPORT_LINK]: makeLink, [REPORT_END]: end };
};
