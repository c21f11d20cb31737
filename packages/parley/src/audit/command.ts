import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Option, type Command } from "commander";
import { admin, AUDIT_ACTIONS, isCalendarDay, type AuditAction, type AuditEntry } from "@parley/contract";
import { connectAdmin } from "../admin/admin-client.ts";
import { CommandFailure } from "../environment/failure.ts";
import { table } from "../output/table.ts";

const print = (text: string) => void process.stdout.write(`${text}\n`);

const HELP = `
Shows who changed settings, tokens, apps, agents and accounts, when, and from which
address: docs/admins/audit-log.md. Entries are kept for 400 days by default. An
export is recorded itself.

Actions: ${AUDIT_ACTIONS.join(", ")}

An actor is a type (operator, token, agent, platform, system), an id or a name, such
as an agent's e-mail address. An object is named by its id, its name or its e-mail
address. Names are compared regardless of case. --from is included, --until is not.

Examples:
  npx parley audit
  npx parley audit --actor ann@acme.example --action token.create --from 2026-01-01
  npx parley audit --object Nightly-sync --limit 20 --page 2
  npx parley audit --account load --json
  npx parley audit --from 2026-01-01 --until 2026-02-01 --csv > audit.csv
  npx parley audit --from 2026-01-01 --until 2026-02-01 --export > audit.ndjson`;

interface Options {
  readonly account?: string;
  readonly from?: string;
  readonly until?: string;
  readonly action?: AuditAction;
  readonly actor?: string;
  /** Of the log's member `subject`. */
  readonly object?: string;
  readonly limit: number;
  readonly page: number;
  readonly export?: boolean;
  readonly csv?: boolean;
  readonly json?: boolean;
}

/** Entries that one request returns. @units rows */
const PAGE_SIZE = 100;

const timeIn = (text: string): string => {
  // `Date.parse` takes 30 February for 2 March.
  const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const time = isCalendarDay(day) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new CommandFailure(`A time is written as 2026-01-31 or 2026-01-31T12:00:00Z, not '${text}'.`);
};

const actionIn = (text: string): AuditAction => {
  const action = AUDIT_ACTIONS.find((each) => each === text);
  if (action) return action;
  throw new CommandFailure(`There is no action '${text}'. Choose from: ${AUDIT_ACTIONS.join(", ")}.`);
};

/** @shape option: its name, such as --limit @errors CommandFailure */
const countIn =
  (option: string) =>
  (text: string): number => {
    const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (count > 0) return count;
    throw new CommandFailure(`${option} takes a whole number of at least 1, not '${text}'.`);
  };

/** Characters of a filter, as the service takes them. */
const FILTER_LENGTH_MAX = 255;
const filterTextIn =
  (option: string, named: string) =>
  (text: string): string => {
    const trimmed = text.trim();
    if (trimmed !== "" && trimmed.length <= FILTER_LENGTH_MAX) return trimmed;
    throw new CommandFailure(`${option} takes ${named} of at most ${FILTER_LENGTH_MAX} characters.`);
  };

/** @errors CommandFailure for options that contradict each other */
const checkOptions = ({ from, until, json, csv, export: isExport, page }: Options): void => {
  if (from !== undefined && until !== undefined && from >= until)
    throw new CommandFailure(
      `--from must be earlier than --until: no entry is both since ${from} and before ${until}.`,
    );
  if ([json, csv, isExport].filter(Boolean).length > 1)
    throw new CommandFailure("--json, --csv and --export are different outputs: choose one of them.");
  if ((csv || isExport) && page > 1)
    throw new CommandFailure("--csv and --export write all entries: leave --page out, or list a page with --json.");
};

const actorText = ({ actor: { type, name, id } }: AuditEntry): string => [type, name ?? id ?? ""].join(" ").trim();

const rowOf = (entry: AuditEntry): string[] => [
  entry.time,
  actorText(entry),
  entry.address ?? "",
  entry.action,
  entry.subject ?? "",
  Object.keys(entry.details).length > 0 ? JSON.stringify(entry.details) : "",
];

const filterOf = ({ from, until, action, actor, object }: Options) => ({
  ...(from !== undefined && { from }),
  ...(until !== undefined && { until }),
  ...(action !== undefined && { action }),
  ...(actor !== undefined && { actor }),
  ...(object !== undefined && { subject: object }),
});

const isFiltered = (options: Options): boolean => Object.keys(filterOf(options)).length > 0;

/** One page of the list, which can be longer than a page of the service. */
async function readPage(options: Options): Promise<{ account: string; entries: AuditEntry[]; total: number }> {
  const { instance, calls } = await connectAdmin();
  const { limit, page, account = instance.account } = options;
  const size = Math.min(limit, PAGE_SIZE);
  const offset = (page - 1) * limit;
  const entries: AuditEntry[] = [];
  for (let next = Math.floor(offset / size) + 1; ; next++) {
    const query = { ...filterOf(options), items_per_page: size, page: next };
    const reply = await calls.listAuditLog({ params: { account }, query });
    entries.push(...reply.entries);
    const { total_items: total, total_pages: last } = reply.pagination;
    const skipped = offset % size;
    if (next >= last || entries.length - skipped >= limit)
      return { account, entries: entries.slice(skipped, skipped + limit), total };
  }
}

async function list(options: Options): Promise<void> {
  const { account, entries, total } = await readPage(options);
  const { limit, page, json } = options;
  if (json) return print(JSON.stringify(entries));
  const pages = Math.ceil(total / limit);
  if (total > 0 && page > pages)
    throw new CommandFailure(
      `There are ${total} entries, which are ${pages} pages of ${limit}: --page takes 1 to ${pages}.`,
    );
  if (entries.length === 0) {
    const hint = isFiltered(options) ? " Leave a filter out to see more." : "";
    return print(`The audit log of the account ${account} has no such entries.${hint}`);
  }
  print(table(["time", "who", "address", "action", "subject", "details"], entries.map(rowOf)));
  const older = total - (page - 1) * limit - entries.length;
  if (older > 0)
    print(
      `${older} older entries are not shown: --page ${page + 1} and --limit show more, --export and --csv write all.`,
    );
}

/** Passes text on until the reader closes the pipe, as `head` does. */
const writeAll = async (chunks: Iterable<string> | AsyncIterable<Uint8Array | string>): Promise<void> => {
  try {
    await pipeline(Readable.from(chunks), process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
};

/** The lines of the export. */
async function exportedLines(options: Options): Promise<AsyncIterable<Uint8Array>> {
  const { instance, lines } = await connectAdmin();
  return lines(admin.exportAuditLog, {
    params: { account: options.account ?? instance.account },
    query: filterOf(options),
  });
}

const CSV_COLUMNS = ["time", "actor_type", "actor", "actor_id", "address", "action", "subject", "details"];
const csvRowOf = ({ time, actor, address = "", action, subject = "", details }: AuditEntry): readonly string[] => {
  const { type, name = "", id = "" } = actor;
  return [time, type, name, id, address, action, subject, JSON.stringify(details)];
};

/** A CSV file of the export: a row an entry. Spreadsheets read it as UTF-8 because of the byte order mark. */
async function* csvOfExport(options: Options): AsyncGenerator<string> {
  const chunks = await exportedLines(options);
  // Loaded when it is needed: it is a part of the service.
  const { csvOf } = await import("@parley/service");
  yield `\uFEFF${csvOf([CSV_COLUMNS])}`;
  for await (const line of createInterface({ input: Readable.from(chunks) }))
    if (line !== "") yield csvOf([csvRowOf(JSON.parse(line) as AuditEntry)]);
}

async function show(options: Options): Promise<void> {
  checkOptions(options);
  if (options.csv) return writeAll(csvOfExport(options));
  if (options.export) return writeAll(await exportedLines(options));
  return list(options);
}

/** `parley audit`: shows or exports the audit log of an account. */
export const addAudit = (program: Command): void => {
  program
    .command("audit")
    .description("show who changed what in an account, newest first, or export it")
    .option("--account <name>", "the account (default: that of the running instance)")
    .option("--from <time>", "only entries from this time on", timeIn)
    .option("--until <time>", "only entries before this time", timeIn)
    .addOption(new Option("--action <action>", "only entries of this action").argParser(actionIn))
    .option("--actor <who>", "only entries of this actor", filterTextIn("--actor", "a type, an id or a name"))
    .option("--object <what>", "only entries about this object", filterTextIn("--object", "an id or a name"))
    .option("--limit <count>", "maximum number of entries to show", countIn("--limit"), PAGE_SIZE)
    .option("--page <number>", "which page of that many entries to show, the newest first", countIn("--page"), 1)
    .option("--export", "write all entries as lines of JSON, the oldest first")
    .option("--csv", "write all entries as a CSV file, the oldest first")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(show);
};
