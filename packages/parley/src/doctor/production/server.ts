import { fail, ok, warn, worstOf, type CheckFinding } from "../../output/finding.ts";
import type { DemoAccountRow, ServerState } from "./server.sql.ts";

/** Oldest supported version of PostgreSQL, as its `server_version_num`. */
const VERSION_MIN = 150_000;

export const checkVersion = ({ version, version_number }: ServerState): CheckFinding =>
  version_number >= VERSION_MIN
    ? ok(`PostgreSQL ${version}`)
    : fail(`PostgreSQL ${version} is not supported.`, "Upgrade the server to PostgreSQL 15 or later.");

const NEXT_SETTING = (name: string) =>
  `Set ${name} = on in postgresql.conf (or by ALTER SYSTEM), and reload the server.`;

/** Whether an acknowledged write survives a loss of power. */
export const checkDurability = ({ fsync, full_page_writes, synchronous_commit }: ServerState): CheckFinding =>
  worstOf(
    [
      fsync === "on" ? ok("") : fail("fsync is off: a loss of power destroys the database.", NEXT_SETTING("fsync")),
      full_page_writes === "on"
        ? ok("")
        : fail("full_page_writes is off: a loss of power can damage pages.", NEXT_SETTING("full_page_writes")),
      synchronous_commit === "off"
        ? fail(
            "synchronous_commit is off: acknowledged messages are lost when the server crashes.",
            "Set it to on for the server, the database and the role: ALTER ROLE … RESET synchronous_commit.",
          )
        : ok(""),
    ],
    `fsync and full_page_writes are on, synchronous_commit is ${synchronous_commit}.`,
  );

export const checkServerTimeZone = ({ time_zone }: ServerState): CheckFinding =>
  /^(Etc\/)?(UTC|GMT|UCT|Zulu|Universal)$/i.test(time_zone)
    ? ok(time_zone)
    : warn(
        `The server's time zone is ${time_zone}. Parley stores and shows UTC; psql and the server's log show other times.`,
        "Set timezone = 'UTC' in postgresql.conf, or by ALTER DATABASE … SET timezone TO 'UTC'.",
      );

export const checkLocale = (state: ServerState): CheckFinding => {
  const { encoding, collation_version: recorded, actual_collation_version: actual, database } = state;
  if (encoding !== "UTF8")
    return fail(
      `The database's encoding is ${encoding}: texts of customers can't be stored.`,
      "Create a database with ENCODING 'UTF8' TEMPLATE template0, and restore a backup into it.",
    );
  if (recorded !== null && actual !== null && recorded !== actual)
    return fail(
      `The database was created with version ${recorded} of its collation, and the server has ${actual}: indexes can be out of order.`,
      `Run REINDEX DATABASE "${database}", then ALTER DATABASE "${database}" REFRESH COLLATION VERSION.`,
    );
  return ok(`${encoding}; the version of the collation is that of the server.`);
};

/** Connections that one process opens at most, with its pools, listeners and locks. */
const CONNECTIONS_PER_PROCESS = 40;
/** Processes of the service and the platform on one machine, as `deploy/systemd` starts them. The first process, which starts them, has connections too. */
const PROCESSES_PER_MACHINE = 4;

/** @shape processes: all processes of the service and the platform, on all machines */
export const checkConnections = (state: ServerState, processes: number, embedded: boolean): CheckFinding => {
  if (embedded) return ok("The embedded server takes as many connections as the processes need.");
  const { max_connections, reserved, other_sessions, connection_limit } = state;
  const machines = Math.ceil(processes / PROCESSES_PER_MACHINE);
  const needed = CONNECTIONS_PER_PROCESS * (processes + machines);
  const free = max_connections - reserved - other_sessions;
  const text = `${processes} processes need up to ${needed} connections`;
  if (connection_limit !== -1 && connection_limit < needed)
    return fail(
      `${text}, and the role or the database is limited to ${connection_limit}.`,
      "Raise the limit: ALTER ROLE … CONNECTION LIMIT -1; ALTER DATABASE … CONNECTION LIMIT -1.",
    );
  return free >= needed
    ? ok(`${text}; ${free} are available.`)
    : fail(
        `${text}; ${free} are available (max_connections ${max_connections}, ${reserved} reserved, ${other_sessions} of other programs).`,
        `Set max_connections to ${max_connections + needed - free} or more, or run fewer processes. --processes says how many run.`,
      );
};

/** A statement of Parley that must not be ended earlier. @units milliseconds */
const LONGEST_STATEMENT_MS = 60_000;

export const checkTimeouts = (state: ServerState): CheckFinding => {
  const { statement_timeout, idle_session_timeout, idle_transaction_timeout, transaction_timeout } = state;
  const limited = [
    ...(idle_session_timeout > 0
      ? [`idle_session_timeout (${idle_session_timeout} ms) ends connections that wait`]
      : []),
    ...(transaction_timeout > 0 ? [`transaction_timeout (${transaction_timeout} ms) ends backups`] : []),
    ...(idle_transaction_timeout > 0 && idle_transaction_timeout < LONGEST_STATEMENT_MS
      ? [`idle_in_transaction_session_timeout (${idle_transaction_timeout} ms) ends backups and exports`]
      : []),
    ...(statement_timeout > 0 && statement_timeout < LONGEST_STATEMENT_MS
      ? [`statement_timeout (${statement_timeout} ms) ends migrations and reports`]
      : []),
  ];
  return limited.length === 0
    ? ok("No timeout of the server ends Parley's sessions and statements.")
    : warn(`${limited.join("; ")}.`, "Set it to 0 for Parley's role: ALTER ROLE … SET <name> TO 0.");
};

export const checkRole = ({ is_superuser }: ServerState): CheckFinding =>
  is_superuser
    ? fail(
        "Parley connects as a superuser, who can read files of the server and run programs there.",
        "Create a role that owns the database, and name it in DATABASE_URL: docs/operators/postgresql.md.",
      )
    : ok("The role is not a superuser.");

/** Leases and sessions are measured by both clocks. @units milliseconds */
const CLOCK_WARN_MS = 1_000;
const CLOCK_FAIL_MS = 4_000;

/** @shape now: this machine's time, in the middle of the question to the server */
export const checkDatabaseClock = ({ clock }: ServerState, now: number): CheckFinding => {
  const differenceMs = Math.abs(clock.getTime() - now);
  const text = `The database's clock differs from this machine's by ${(differenceMs / 1_000).toFixed(1)} s.`;
  const next = "Synchronise both machines by NTP (chronyc tracking, timedatectl).";
  return differenceMs > CLOCK_FAIL_MS ? fail(text, next) : differenceMs > CLOCK_WARN_MS ? warn(text, next) : ok(text);
};

export const checkDemo = (accounts: readonly DemoAccountRow[]): CheckFinding => {
  if (accounts.length === 0) return ok("There is no demo account.");
  const texts = accounts.map(({ name, tokens }) => `${name} with ${tokens} valid API keys`);
  return fail(
    `Accounts of the demo exist: ${texts.join(", ")}.`,
    `Close them: ${accounts.map(({ name }) => `npx parley account close ${name} --after 0`).join("; ")}. Start without --demo.`,
  );
};
