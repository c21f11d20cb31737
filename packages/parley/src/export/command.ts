import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Command } from "commander";
import { isRefusal } from "@parley/contract";
import { joinDatabase } from "@parley/database";
import { appAccountData } from "@parley/framework/operation";
import { exportLines } from "@parley/service";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { createRecordProgress } from "../output/progress.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { environmentHelp } from "../output/environment-help.ts";
import { commandLog } from "../output/log.ts";

const HELP = `
Writes one record a line: accounts, agents, uploads, users, conversations with their messages, ratings, and installations of apps with
their data, from one consistent snapshot. 'npx parley import' reads them again, here or elsewhere: docs/operators/import-export.md.
Tokens, webhooks, and secrets and packages of apps are not included: use 'npx parley backup'.

Examples:
  npx parley export acme --file acme.ndjson.gz
  npx parley export > everything.ndjson
  npx parley export acme --since 2026-01-01T00:00:00Z | jq -c 'select(.type == "message")'

${environmentHelp("export")}`;

interface Options {
  readonly file?: string;
  readonly since?: string;
  readonly json?: boolean;
}

const checkSince = (since: string | undefined) => {
  if (since === undefined || (/^\d{4}-\d\d-\d\dT/.test(since) && !Number.isNaN(Date.parse(since)))) return;
  throw new CommandFailure(`--since takes a date and time such as 2026-01-31T12:00:00Z, not '${since}'.`);
};

/** Writes the file completely or not at all. */
async function writeTo(file: string, lines: AsyncIterable<string>): Promise<void> {
  const temporary = `${file}.arriving`;
  const compression = file.endsWith(".gz") ? [createGzip()] : [];
  try {
    await pipeline([Readable.from(lines), ...compression, createWriteStream(temporary, { mode: 0o600 })]);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new CommandFailure(`The file ${file} can't be written (${code}). Name another file.`);
  }
}

async function runExport(account: string | undefined, { file, since, json }: Options): Promise<void> {
  checkSince(since);
  if (json && file === undefined)
    throw new CommandFailure("--json requires --file: without it, the records are written to standard output.");
  const startTime = performance.now();
  const { dataFolder, databaseUrl } = parleyConfig();
  await prepareDataFolder(dataFolder, commandLog);
  const database = await joinDatabase({ dataFolder, url: databaseUrl, log: commandLog, onlyReads: true });
  const progress = createRecordProgress(0);
  let records = 0;
  try {
    const lines = await exportLines({
      database,
      account,
      since,
      accountData: [appAccountData],
      progress: (count) => {
        records = count;
        progress.show(0, count);
      },
    });
    if (file !== undefined) await writeTo(file, lines);
    else await pipeline(Readable.from(lines), process.stdout, { end: false });
    const seconds = Number(((performance.now() - startTime) / 1_000).toFixed(1));
    if (json) process.stdout.write(`${JSON.stringify({ file, records, seconds })}\n`);
    else process.stderr.write(`Done after ${seconds} s: ${records.toLocaleString("en")} records.\n`);
  } catch (error) {
    if (isRefusal(error) && account !== undefined)
      throw new CommandFailure(`There is no account ${account}. 'npx parley account list' shows the accounts.`);
    // The reader closed the pipe, as `head` does.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  } finally {
    await database.close();
  }
}

/** `parley export`: writes the contents of accounts as records. */
export const addExport = (program: Command) =>
  program
    .command("export")
    .description("export accounts, users, conversations and messages, one record a line")
    .argument("[account]", "only this account (default: all)")
    .option("--file <file>", "file to write, compressed if its name ends in .gz (default: standard output)")
    .option("--since <time>", "only records that were created or changed from this time on")
    .option("--json", "print one line of JSON at the end")
    .addHelpText("after", HELP)
    .action(runExport);
