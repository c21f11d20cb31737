import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { Option, type Command } from "commander";
import { EXISTING_RECORD_POLICIES, type ImportProgress, type ExistingRecordPolicy } from "@parley/contract";
import { joinDatabase } from "@parley/database";
import { appAccountData } from "@parley/framework/operation";
import { importFile } from "@parley/service";
import { CommandFailure } from "../environment/failure.ts";
import { parleyConfig } from "../environment/config.ts";
import { printable } from "../output/table.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { stopSignal } from "../start/shutdown.ts";
import { createRecordProgress } from "../output/progress.ts";
import { environmentHelp } from "../output/environment-help.ts";
import { commandLog } from "../output/log.ts";

/** Input of an import, with the number of bytes read so far. */
interface ImportSource {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Size of the file on disk; 0 when unknown. @units bytes */
  readonly totalBytes: number;
  readonly bytesRead: () => number;
}

const STANDARD_INPUT = "-";

/** Opens a file (decompressed if its name ends in .gz) or the standard input (`-`). @errors CommandFailure */
async function openImportSource(file: string): Promise<ImportSource> {
  if (file === STANDARD_INPUT) return { bytes: process.stdin, totalBytes: 0, bytesRead: () => 0 };
  const stats = await stat(file).catch((error: unknown) => {
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `The file ${file} can't be read (${code}). Name a file that 'npx parley export' wrote, or -.`,
    );
  });
  if (!stats.isFile())
    throw new CommandFailure(`${file} is not a file. Name a file that 'npx parley export' wrote, or -.`);
  const stream = createReadStream(file, { highWaterMark: 262_144 });
  const bytesRead = () => stream.bytesRead;
  if (!file.endsWith(".gz")) return { bytes: stream, totalBytes: stats.size, bytesRead };
  const unpacked = stream.pipe(createGunzip());
  stream.once("error", (error) => unpacked.destroy(error));
  return { bytes: unpacked, totalBytes: stats.size, bytesRead };
}

const HELP = `
Reads one record a line, as 'npx parley export' writes them: docs/operators/import-export.md. Records keep their ids and times, and no
events are sent for them. Existing records are kept, so an interrupted import can be continued by running it again. The import stops
at the first invalid line; the lines before it have been imported.

Examples:
  npx parley import acme.ndjson --dry-run        checks every line, writes nothing
  npx parley import acme.ndjson
  npx parley import people.ndjson.gz --account acme
  npx parley import acme.ndjson --present update overwrites records that differ
  npx parley export acme | npx parley import - --account copy

${environmentHelp("import")}`;

/** Exit status after Ctrl-C, by the convention of shells. */
const INTERRUPTED_STATUS = 130;

interface Options {
  readonly account?: string;
  readonly dryRun?: boolean;
  readonly present: ExistingRecordPolicy;
  readonly json?: boolean;
}

const plural = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

const report = (
  result: ImportProgress,
  { dryRun, seconds }: { readonly dryRun: boolean; readonly seconds: number },
) => {
  const { line, done, created, updated, unchanged } = result;
  const counts = `${created.toLocaleString("en")} new, ${updated.toLocaleString("en")} changed, ${unchanged.toLocaleString("en")} unchanged`;
  const note = dryRun ? "  (dry run: nothing was written)" : "";
  return `${done ? "Done" : "Stopped"} after ${seconds} s: ${plural(line, "line")}, ${counts}.${note}\n`;
};

async function runImport(file: string, options: Options, exit: (status: number) => void): Promise<void> {
  const { account, present, json, dryRun = false } = options;
  const startTime = performance.now();
  const source = await openImportSource(file);
  const stop = stopSignal();
  const stopping = new AbortController();
  void stop.reached.then(() => stopping.abort());
  const { dataFolder, databaseUrl } = parleyConfig();
  await prepareDataFolder(dataFolder, commandLog);
  const database = await joinDatabase({ dataFolder, url: databaseUrl, log: commandLog });
  const progress = createRecordProgress(source.totalBytes);
  const problems: NonNullable<ImportProgress["problem"]>[] = [];
  try {
    const result = await importFile({
      database,
      accountData: [appAccountData],
      source: source.bytes,
      account,
      present,
      dryRun,
      signal: stopping.signal,
      progress: (state) => {
        const { problem, created, updated, unchanged } = state;
        if (problem) problems.push(problem);
        progress.show(source.bytesRead(), created + updated + unchanged);
      },
    });
    progress.end();
    const seconds = Number(((performance.now() - startTime) / 1_000).toFixed(1));
    if (json) process.stdout.write(`${JSON.stringify({ ...result, seconds, dry_run: dryRun, problems })}\n`);
    else process.stdout.write(report(result, { dryRun, seconds }));
    if (result.skipped && !json)
      process.stderr.write(
        `${plural(result.skipped, "record")} of apps that are not published here for the account were skipped. Publish the apps, then run the import again.\n`,
      );
    for (const { line, status, message } of json ? [] : problems)
      process.stderr.write(`${printable(`${file}:${line}: ${status}: ${message}`).replaceAll("\n", " ")}\n`);
    if (result.refused > 0 && !dryRun)
      throw new CommandFailure(
        `Line ${result.line + 1} is invalid; the lines before it were imported. Correct it, then run the import again.`,
      );
    if (result.refused > 0)
      throw new CommandFailure(`${plural(result.refused, "line")} would be refused. Correct them first.`);
    if (stop.aborted) exit(INTERRUPTED_STATUS);
  } finally {
    progress.end();
    await database.close();
  }
}

/** `parley import`: writes records to the database. */
export const addImport = (program: Command, exit: (status: number) => void) =>
  program
    .command("import")
    .description("import users, conversations and messages with their own ids and times")
    .argument("<file>", "file of records, compressed if its name ends in .gz; - reads standard input")
    .option("--account <name>", "account to import into, instead of the account in the file")
    .option("--dry-run", "check every line without writing")
    .addOption(
      new Option("--present <way>", "how to handle an existing record that differs")
        .choices([...EXISTING_RECORD_POLICIES])
        .default("refuse"),
    )
    .option("--json", "print one line of JSON at the end, and nothing else, on standard output")
    .addHelpText("after", HELP)
    .action((file: string, options: Options) => runImport(file, options, exit));
