import type { NewReport, Report, ReportEvent } from "@parley/contract";
import type { ParleyClient } from "@parley/client";
import { fromBuffer, type Entry, type ZipFile } from "yauzl";
import { waitUntil } from "../../../../../../test/support/wait-until.ts";
import { serviceHarness, type ServiceHarness, type ServiceHarnessOptions } from "../../../service-harness.ts";

export const START_MS = Date.parse("2026-03-10T09:00:00.000Z");
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A service without report quotas, with a clock that only the test moves. */
export interface ReportsHarness extends ServiceHarness {
  readonly now: () => Date;
  readonly advance: (ms: number) => void;
}

export const UNLIMITED_QUOTA = { perMinute: 1_000, perDay: 100_000, days: 7 };

export async function reportsHarness(options: ServiceHarnessOptions = {}): Promise<ReportsHarness> {
  let time = START_MS;
  const now = () => new Date(time);
  const w = await serviceHarness({
    ...options,
    ports: { now, ...options.ports },
    config: { reports: UNLIMITED_QUOTA, ...options.config },
  });
  return {
    ...w,
    now,
    advance: (ms) => {
      time += ms;
    },
  };
}

/** A record by column name. */
export type CsvRow = Readonly<Record<string, string>>;

/** Parses RFC 4180 strictly. @errors Error for anything else */
function parseCsv(text: string): { header: string[]; rows: CsvRow[] } {
  const records: string[][] = [];
  let record: string[] = [];
  let place = 0;
  while (place < text.length) {
    let cell = "";
    if (text[place] === '"') {
      for (place += 1; ; place += 1) {
        if (place >= text.length) throw new Error("a quoted cell has no end");
        if (text[place] === '"' && text[place + 1] === '"') place += 1;
        else if (text[place] === '"') break;
        cell += text[place];
      }
      place += 1;
    } else {
      for (; place < text.length && !',\r\n"'.includes(text[place] ?? ""); place += 1) cell += text[place];
    }
    record.push(cell);
    if (text.startsWith("\r\n", place)) {
      records.push(record);
      record = [];
      place += 2;
    } else if (text[place] === ",") place += 1;
    else throw new Error(`neither a comma nor the end of a record at ${place}: ${text.slice(place, place + 20)}`);
  }
  const [header = [], ...rest] = records;
  for (const each of rest) if (each.length !== header.length) throw new Error(`a record of ${each.length} cells`);
  return {
    header,
    rows: rest.map((cells) => Object.fromEntries(cells.map((cell, index) => [header[index] ?? "", cell]))),
  };
}

const openZip = (bytes: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    const options = { lazyEntries: true, validateEntrySizes: true };
    fromBuffer(bytes, options, (error, zip) => {
      if (error) reject(error);
      else resolve(zip);
    });
  });

/** Returns the only file of a ZIP archive. @errors Error if there is not exactly one */
async function unzip(bytes: Buffer): Promise<{ name: string; text: string }> {
  const zip = await openZip(bytes);
  const entries: Entry[] = [];
  await new Promise<void>((resolve, reject) => {
    zip.on("entry", (entry: Entry) => {
      entries.push(entry);
      zip.readEntry();
    });
    zip.on("end", resolve);
    zip.on("error", reject);
    zip.readEntry();
    if (zip.entryCount === 0) resolve();
  });
  const [entry] = entries;
  if (!entry || entries.length > 1) throw new Error(`${entries.length} files in the ZIP`);
  const chunks: Buffer[] = [];
  const again = await openZip(bytes);
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    again.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { name: entry.fileName, text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) };
}

/** Polls until every file of the report is finished. */
export async function finishedReport(client: ParleyClient, id: string, ms = 60_000): Promise<Report> {
  const get = () => client.reports.getReport({ params: { report_id: id } });
  let report = await get();
  await waitUntil(async () => (report = await get()).status !== "PENDING", {
    details: () => JSON.stringify(report.links),
    timeoutMs: ms,
  });
  return report;
}

export interface Download {
  readonly fileName: string;
  readonly header: readonly string[];
  readonly rows: readonly CsvRow[];
  readonly text: string;
}

/** Downloads a URL without a token. */
export async function download(href: string): Promise<Download> {
  const response = await fetch(href);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const { name, text } = await unzip(Buffer.from(await response.arrayBuffer()));
  return { fileName: name, text, ...parseCsv(text) };
}

/** Requests a report of the last hours, waits for it, and returns its files. */
export async function downloadedReport(
  w: ReportsHarness,
  event: ReportEvent,
  more: Partial<NewReport> = {},
): Promise<{ report: Report; files: Download[]; rows: CsvRow[]; header: readonly string[] }> {
  const body = {
    event,
    start: new Date(w.now().getTime() - 23 * HOUR_MS).toISOString(),
    end: w.now().toISOString(),
    ...more,
  };
  const { id } = await w.client.reports.createReport({ body });
  const report = await finishedReport(w.client, id);
  const files = await Promise.all(report.links.map(({ link }) => download(link?.href ?? "")));
  return { report, files, rows: files.flatMap(({ rows }) => rows), header: files[0]?.header ?? [] };
}
