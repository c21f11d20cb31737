import {
  ACCOUNT_NOT_FOUND,
  INVALID_VALUE,
  isRefusal,
  refuse,
  type ImportedAccount,
  type ImportedAgent,
  type ImportedEnd,
  type ImportProgress,
  type Present,
} from "@parley/contract";
import type { Connection, Database, Pool } from "@parley/database";
import { agentStore } from "../agents/store.ts";
import { SCHEMA } from "../db/migrations.ts";
import { KEYED_PLANS } from "../db/plans.ts";
import type { Ports } from "../ports.ts";
import { applyDocument } from "../setup/apply.ts";
import { foldStore } from "../users/ranks/db/fold.ts";
import { before, firstOf, lineOf, piecesOf, type Batch, type LineProblem, type Piece } from "./batch.ts";
import { checkedLook, prepareChecked } from "./db/checked.ts";
import { insertStore } from "./db/insert.ts";
import { lookStore } from "./db/look.ts";
import { judge } from "./judge.ts";
import { importAgent } from "./people.ts";
import { plannedRoll, readRoll, withAgent, type Roll } from "./roll.ts";
import { checkJudged, writeJudged } from "./write.ts";

export interface ImportOptions {
  readonly database: Database;
  readonly pool: Pool;
  readonly ports: Ports;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Lines of records. */
  readonly source: AsyncIterable<Uint8Array>;
  /** Whose records these are, whatever the account records say. */
  readonly account?: string | undefined;
  /** refuse when absent. */
  readonly present?: Present | undefined;
  readonly dryRun?: boolean | undefined;
  /** Ends the import behind the batch under way. */
  readonly signal?: AbortSignal | undefined;
  /** Hears of every batch once it is committed, and of every line that is refused. */
  readonly progress?: ((progress: ImportProgress) => void) | undefined;
}

/** Batches between two folds of the counts that lists stand on. */
const FOLD_EVERY = 10;
/** Lines that a dry run refuses before it ends. */
const MOST_PROBLEMS = 100;
/** How often a batch is judged anew when somebody else wrote one of its ids meanwhile. */
const TRIES = 3;
const UNIQUE_VIOLATION = "23505";
const isTaken = (error: unknown): boolean => (error as { code?: unknown }).code === UNIQUE_VIOLATION;

// As on the connections for hot statements.
const SETTINGS = Object.entries(KEYED_PLANS)
  .map(([name, value]) => `set ${name} = ${value}`)
  .join(";");

type Counts = Pick<ImportProgress, "created" | "updated" | "unchanged">;
const NOTHING: Counts = { created: 0, updated: 0, unchanged: 0 };

interface Run extends ImportOptions {
  readonly connection: Connection;
  readonly present: Present;
  readonly dryRun: boolean;
}

/** Takes pieces in, one after the other; what a piece comes to is committed when it is told. @errors Refusal of a whole piece */
const taking = ({ pool, ports, domain, account, present, dryRun, connection }: Run) => {
  const look = dryRun ? checkedLook(connection, lookStore(connection)) : lookStore(connection);
  const [agents, ranks] = [agentStore(pool), foldStore(pool)];
  let roll: Roll | undefined;
  let batches = 0;
  /** Since the last end of an export. */
  let records = 0;

  const theRoll = async (): Promise<Roll> => {
    roll ??= account === undefined ? undefined : await readRoll(pool, account);
    if (roll) return roll;
    if (account !== undefined)
      return refuse(ACCOUNT_NOT_FOUND, `There is no account ${account}, and no account record stands before this line`);
    return refuse(
      INVALID_VALUE,
      "It is not known whose record this is: begin with an account record, or name the account of the import",
    );
  };

  const takeAccount = async ({ type: _type, ...document }: ImportedAccount): Promise<Counts> => {
    const named = { ...document, name: account ?? document.name };
    if (dryRun) {
      roll = await plannedRoll(pool, named, { ...ports, domain });
      return { ...NOTHING, unchanged: 1 };
    }
    const { created, changes } = await applyDocument({ pool, ports, domain }, named, { dryRun: false, prune: false });
    roll = await readRoll(pool, named.name);
    return { ...NOTHING, [created ? "created" : changes.length > 0 ? "updated" : "unchanged"]: 1 };
  };

  const takeAgent = async (record: ImportedAgent): Promise<Counts> => {
    const whose = await theRoll();
    const { outcome, agent } = await importAgent(record, { roll: whose, agents, present, dryRun, ports });
    if (outcome !== "unchanged") roll = dryRun ? withAgent(whose, agent) : await readRoll(pool, whose.account.name);
    return { ...NOTHING, [outcome]: 1 };
  };

  const takeEnd = ({ records: told }: ImportedEnd): Counts => {
    const found = records;
    records = 0;
    if (told !== found)
      refuse(INVALID_VALUE, `The export that ends here had ${told} records, of which ${found} stand in the file`);
    return NOTHING;
  };

  const settle = async (batch: Batch, tries = TRIES): Promise<{ counts: Counts; problems: readonly LineProblem[] }> => {
    const numbers = (count: number) =>
      dryRun || count === 0 ? Promise.resolve([]) : insertStore(connection).numbers(count);
    const whose = await theRoll();
    const judged = await judge(batch, { roll: whose, look, present, ports, numbers });
    const [first] = judged.problems;
    // What stands before it is taken in.
    if (first && !dryRun) {
      const done = await settle(before(batch, first.line));
      return done.problems.length > 0 ? done : { ...done, problems: [first] };
    }
    const { id } = whose.account;
    try {
      const counts = await (dryRun ? checkJudged : writeJudged)(connection, id, judged);
      batches += 1;
      if (!dryRun && batches % FOLD_EVERY === 0) await ranks.fold(id);
      return { counts, problems: judged.problems };
    } catch (error) {
      if (tries === 1 || !isTaken(error)) throw error;
      return settle(batch, tries - 1);
    }
  };

  return {
    take: async (piece: Piece): Promise<{ counts: Counts; problems: readonly LineProblem[] }> => {
      if (piece.kind === "problem") return { counts: NOTHING, problems: [piece.problem] };
      if (piece.kind === "batch") {
        records += piece.records;
        return settle(piece.batch);
      }
      const { record } = piece.record;
      if (record.type === "end") return { counts: takeEnd(record), problems: [] };
      records += 1;
      const counts = await (record.type === "account" ? takeAccount(record) : takeAgent(record));
      return { counts, problems: [] };
    },
    finish: async () => {
      if (roll && !dryRun && batches > 0) await ranks.fold(roll.account.id);
    },
  };
};

/**
 * Takes records in, batch by batch, each committed before it is told. It ends at the first line that is refused, with all before it
 * taken in; a dry run goes on to the end and writes nothing. What is there already with the same content stays as it is, so that an
 * import that was broken off goes on by being run again.
 * @assumed No events are told of what was imported, and it counts in no metric. Messages stand in their conversation in the order of the
 * lines.
 */
export async function importRecords(options: ImportOptions): Promise<ImportProgress> {
  const { database, source, present = "refuse", dryRun = false, signal, progress = () => undefined } = options;
  const connection = await database.connect(SCHEMA);
  const state = { line: 0, done: false, ...NOTHING, refused: 0 };
  try {
    await connection.script(SETTINGS);
    if (dryRun) await prepareChecked(connection);
    const { take, finish } = taking({ ...options, connection, present, dryRun });

    /** -> whether the import goes on */
    const settled = async (piece: Piece): Promise<boolean> => {
      const line = lineOf(piece);
      const { counts, problems } = await take(piece).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
        return { counts: NOTHING, problems: [{ line: firstOf(piece), refusal: error }] };
      });
      for (const name of ["created", "updated", "unchanged"] as const) state[name] += counts[name];
      const [first] = problems;
      state.line = first && !dryRun ? first.line - 1 : line;
      state.refused += problems.length;
      for (const { line, refusal } of problems) {
        const { code, status } = refusal.problem;
        progress({ ...state, problem: { line, code, status, message: refusal.message } });
      }
      if (!first) progress({ ...state });
      return !signal?.aborted && (!first || (dryRun && state.refused < MOST_PROBLEMS));
    };

    let goesOn = true;
    // The next piece is read while this one is written.
    let writing = Promise.resolve(true);
    for await (const piece of piecesOf(source)) {
      goesOn = await writing;
      if (!goesOn) break;
      writing = settled(piece);
      writing.catch(() => undefined);
    }
    goesOn &&= await writing;
    await finish();
    state.done = goesOn && !signal?.aborted;
    return { ...state };
  } finally {
    await connection.close();
  }
}
