import { refuse, SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED, type Snapshot } from "@parley/contract";
import { migrate, type Database } from "@parley/database";
import type { Ports } from "@parley/service";
import type { SequencePosition, WorldPorts } from "../clock/ports.ts";
import { SNAPSHOT_MIGRATIONS, SNAPSHOT_SCHEMA } from "./db/migrations.ts";
import { snapshotFiles } from "./files.ts";
import { snapshotStore, type SnapshotRow } from "./store.ts";

/** All data of an instance by names: rows, and the files that they name. Whoever saves or loads holds the instance still. */
export interface Snapshots {
  list(): Promise<Snapshot[]>;
  has(name: string): Promise<boolean>;
  save(name: string): Promise<void>;
  /** How far the sequences of ids had come. -> undefined: none was kept */
  placeOf(name: string): Promise<SequencePosition | undefined>;
  /** @errors SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED */
  check(name: string): Promise<void>;
  /** A process that is killed at it leaves all data as it was, or as it was saved. @shape tokens: hashes of those to keep, hex */
  load(name: string, tokens: readonly string[]): Promise<void>;
  /** @errors SNAPSHOT_NOT_FOUND */
  remove(name: string): Promise<Snapshot>;
  /** There is none of the new name. */
  rename(from: string, to: string): Promise<void>;
  /** What happened so far is told nobody who subscribes, and counts against no allowance. */
  settle(): Promise<void>;
}

interface SnapshotsOptions {
  readonly database: Database;
  /** Holds the files of the snapshots. */
  readonly folder: string;
  /** That of uploads and reports. */
  readonly objects: string;
  /** The machine's time. */
  readonly now: Ports["now"];
  /** How far the sequences of ids have come. */
  readonly place: WorldPorts["place"];
}

/** Those that nobody asked for. */
const isOwn = (name: string): boolean => name.startsWith("_");

/** Opens them; the service and the app host have made their tables before the first one is saved. */
export async function openSnapshots({ database, folder, objects, now, place }: SnapshotsOptions): Promise<Snapshots> {
  await migrate(database, SNAPSHOT_SCHEMA, SNAPSHOT_MIGRATIONS);
  const store = snapshotStore(database);
  const files = snapshotFiles({ folder, objects });

  const shown = ({ name, saved_time, row_count, file_count, shape }: SnapshotRow, present: string): Snapshot => ({
    name,
    saved_time: saved_time.toISOString(),
    rows: row_count,
    files: file_count,
    loadable: shape === present,
  });

  return {
    async list() {
      const [rows, shape] = await Promise.all([store.list(), store.shape()]);
      return rows.filter(({ name }) => !isOwn(name)).map((row) => shown(row, shape));
    },
    has: async (name) => (await store.find(name)) !== undefined,
    async save(name) {
      await store.save(name, { time: now(), files: await files.save(name), place });
      await files.trim(name);
    },
    placeOf: async (name) => (await store.find(name))?.place ?? undefined,
    async check(name) {
      const [row, shape] = await Promise.all([store.find(name), store.shape()]);
      if (!row) refuse(SNAPSHOT_NOT_FOUND, `There is no snapshot named ${name}.`);
      else if (row.shape !== shape) refuse(SNAPSHOT_OUTDATED);
    },
    async load(name, tokens) {
      await files.bring(name);
      await store.load(name, tokens);
      await files.tidy(name);
    },
    async remove(name) {
      const [row, shape] = await Promise.all([store.find(name), store.shape()]);
      if (!row) return refuse(SNAPSHOT_NOT_FOUND, `There is no snapshot named ${name}.`);
      await store.remove(name);
      await files.remove(name);
      return shown(row, shape);
    },
    async rename(from, to) {
      await files.rename(from, to);
      await store.rename(from, to);
    },
    settle: () => store.settle(),
  };
}
