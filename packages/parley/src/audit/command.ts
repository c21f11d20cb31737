import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Option, type Command } from "commander";
import { admin, AUDIT_ACTIONS, isCalendarDay, type AuditAction, type AuditEntry } from "@parley/contract";
import { connectAdmin, listPages } from "../admin/admin-client.ts";
import { CommandFailure } from "../environment/failure.ts";
import { table } from "../output/table.ts";

const print = (text: string) => void process.stdout.write(`${text}\n`);

const HELP = `
Shows who changed settings, tokens, apps, agents and accounts, when, and from which
address: docs/admins/audit-log.md. Entries are kept for 400 days by default. An
export is recorded itself.

Actions: ${AUDIT_ACTIONS.join(", ")}

Examples:
  npx parley audit
  npx parley audit --action token.create --from 2026-01-01
  npx parley audit --account load --json
  npx parley audit --from 2026-01-01 --until 2026-02-01 --export > audit.ndjson`;

interface Options {
  readonly account?: string;
  readonly from?: string;
  readonly until?: string;
  readonly action?: AuditAction;
  readonly limit: number;
  readonly export?: boolean;
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

const countIn = (text: string): number => {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new CommandFailure(`--limit takes a whole number of at least 1, not '${text}'.`);
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

const filterOf = ({ from, until, action }: Options) => ({
  ...(from !== undefined && { from }),
  ...(until !== undefined && { until }),
  ...(action !== undefined && { action }),
});

async function list(options: Options): Promise<void> {
  const { instance, calls } = await connectAdmin();
  const { limit, json, account = instance.account } = options;
  const entries: AuditEntry[] = [];
  let total = 0;
  const query = { ...filterOf(options), items_per_page: Math.min(limit, PAGE_SIZE) };
  for await (const reply of listPages((page) =>
    calls.listAuditLog({ params: { account }, query: { ...query, page } }),
  )) {
    entries.push(...reply.entries);
    total = reply.pagination.total_items;
    if (entries.length >= limit) break;
  }
  const shown = entries.slice(0, limit);
  if (json) return print(JSON.stringify(shown));
  if (shown.length === 0) return print(`The audit log of the account ${account} has no such entries.`);
  print(table(["time", "who", "address", "action", "subject", "details"], shown.map(rowOf)));
  if (total > shown.length)
    print(`${total - shown.length} older entries are not shown: --limit shows more, --export writes all.`);
}

async function exportEntries(options: Options): Promise<void> {
  const { instance, lines } = await connectAdmin();
  const params = { account: options.account ?? instance.account };
  try {
    const chunks = lines(admin.exportAuditLog, { params, query: filterOf(options) });
    await pipeline(Readable.from(chunks), process.stdout, { end: false });
  } catch (error) {
    // The reader closed the pipe, as `head` does.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
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
    .option("--limit <count>", "maximum number of entries to show", countIn, PAGE_SIZE)
    .option("--export", "write all entries as lines of JSON, the oldest first")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action((options: Options) => (options.export ? exportEntries(options) : list(options)));
};
