import type { Command } from "commander";
import { joinDatabase, type Connection, type Database } from "@parley/database";
import { VERSION } from "@parley/service/operation";
import { realPorts } from "@parley/service/ports";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { findingLines } from "../output/finding.ts";
import { commandLog } from "../output/log.ts";
import { table } from "../output/table.ts";
import { environmentHelp } from "../output/environment-help.ts";
import { checkUpgrade, type UpgradeReport } from "./check.ts";
import type { MigrationEstimate } from "./estimate.ts";
import { migrateSchemas, schemaStates } from "./schemas.ts";
import { harmedProcesses } from "./running.ts";

const HELP = `
Changes the tables of the database to those of this release, while processes of the previous release use them. The first process
of the new release changes them too. --check says what would happen and changes nothing: exit status 0 when the upgrade interrupts
nobody, 1 when something has to be done first. docs/operators/upgrades.md has all steps, and the way back.

Examples:
  npx parley upgrade --check --backup /backups/2026-01-31
  npx parley upgrade --check --json     prints {"safe","version","schemas","migrations","processes","findings"}
  npx parley upgrade

${environmentHelp("upgrade")}`;

interface UpgradeOptions {
  readonly check?: boolean;
  readonly backup?: string;
  readonly json?: boolean;
}

const indexText = ({ indexes }: MigrationEstimate) => indexes.map(({ name, table: on }) => `builds ${name} on ${on}`);

const effectTexts = ({ tables }: MigrationEstimate) =>
  tables.map(({ table: name, lock, change, blockingIndexes, writesRows, rows, blockedSeconds }) =>
    [
      `${name}: ${lock}`,
      ...(change === "kept" ? [] : [change]),
      ...(blockingIndexes > 0 && change === "kept"
        ? [`${blockingIndexes} ${blockingIndexes === 1 ? "index" : "indexes"}`]
        : []),
      ...(writesRows ? ["rows are changed"] : []),
      `${rows.toLocaleString("en")} rows, ${blockedSeconds < 1 ? "below 1 s" : `about ${blockedSeconds} s`}`,
    ].join(", "),
  );

const migrationRow = (migration: MigrationEstimate): string[] => [
  migration.schema,
  `${migration.id} ${migration.name}`,
  [...effectTexts(migration), ...indexText(migration)].join("; ") || "new tables only",
];

const reportText = ({ schemas, migrations, findings }: UpgradeReport, isSafe: boolean): string =>
  [
    table(
      ["schema", "here", `release ${VERSION}`],
      schemas.map(({ name, applied, release }) => [name, applied === 0 ? "absent" : String(applied), String(release)]),
    ),
    "",
    ...(migrations.length > 0 ? [table(["schema", "migration", "locks"], migrations.map(migrationRow)), ""] : []),
    ...findingLines(findings),
    "",
    isSafe ? "The upgrade interrupts no requests." : "The upgrade is not safe yet: see the lines with ✖.",
  ].join("\n");

async function check(connection: Connection, database: Database, { backup, json }: UpgradeOptions): Promise<boolean> {
  const { dataFolder } = parleyConfig();
  const report = await checkUpgrade(connection, { database, dataFolder, backupFolder: backup, now: realPorts.now() });
  const isSafe = report.findings.every(({ level }) => level !== "fail");
  const text = json ? JSON.stringify({ safe: isSafe, version: VERSION, ...report }) : reportText(report, isSafe);
  process.stdout.write(`${text}\n`);
  return isSafe;
}

async function apply(connection: Connection, database: Database, { json }: UpgradeOptions): Promise<void> {
  const states = await schemaStates(connection);
  const harmed = await harmedProcesses(connection, states);
  if (harmed.length > 0)
    throw new CommandFailure(
      `These processes can't run on the new schema: ${harmed.join(", ")}. Stop them, or upgrade them to a release in between first. Nothing was changed.`,
    );
  const applied = states.flatMap(({ name: schema, pending }) => pending.map(({ id, name }) => ({ schema, id, name })));
  await migrateSchemas(database);
  if (json) return void process.stdout.write(`${JSON.stringify({ applied })}\n`);
  const lines = applied.map(({ schema, id, name }) => `${schema}: ${id} ${name}`);
  process.stdout.write(
    `${[...lines, applied.length === 0 ? "The tables are those of this release already." : `${applied.length} migrations were applied.`].join("\n")}\n`,
  );
}

async function upgrade(options: UpgradeOptions, exit: (status: number) => void): Promise<void> {
  if (options.backup !== undefined && !options.check)
    throw new CommandFailure("--backup belongs to --check. Run 'npx parley upgrade --check --backup <folder>'.");
  const { dataFolder, databaseUrl } = parleyConfig();
  const database = await joinDatabase({ dataFolder, url: databaseUrl, log: commandLog });
  try {
    const connection = await database.connect("public");
    if (options.check) exit((await check(connection, database, options)) ? 0 : 1);
    else await apply(connection, database, options);
    await connection.close();
  } finally {
    await database.close();
  }
}

/** `parley upgrade`: changes the tables to those of this release, or says what that would do. */
export const addUpgrade = (program: Command, exit: (status: number) => void) =>
  program
    .command("upgrade")
    .description("change the database to this release, while the previous one runs")
    .option("--check", "only say what the upgrade would do")
    .option("--backup <folder>", "with --check: the backup that you would restore")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action((options: UpgradeOptions) => upgrade(options, exit));
