import { constants } from "node:fs";
import { copyFile, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listObjects } from "@parley/service/objects";
import { refuse, SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED, type Snapshot } from "@parley/contract";
import { migrate, type Database } from "@parley/database";
import type { Ports } from "@parley/service";
import type { SequencePosition, InstancePorts } from "../clock/ports.ts";
import { SNAPSHOT_MIGRATIONS, SNAPSHOT_SCHEMA } from "./db/migrations.ts";
import { snapshotStore, type SnapshotRow } from "./store.ts";

/** Links or copies a file. Files are never modified in place, so a hard link keeps its content. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const temporary = `${to}.arriving`;
  await rm(temporary, { force: true });
  await link(from, temporary).catch(() => copyFile(from, temporary, constants.COPYFILE_EXCL));
  await rename(temporary, to);
}

const isSame = async (one: string, other: string): Promise<boolean> => {
  const [left, right] = await Promise.all([stat(one), stat(other)]);
  return (
    (left.ino === right.ino && left.dev === right.dev) || (left.size === right.size && left.mtimeMs === right.mtimeMs)
  );
};

/** -> number of files in the source folder */
async function copyMissing(from: string, to: string): Promise<number> {
  const present = new Set(await listObjects(to));
  const paths = await listObjects(from);
  for (const path of paths) {
    const [source, target] = [join(from, path), join(to, path)];
    if (!present.has(path) || !(await isSame(source, target))) await linkOrCopy(source, target);
  }
  return paths.length;
}

async function removeOthers(folder: string, reference: string): Promise<void> {
  const retained = new Set(await listObjects(reference));
  for (const path of await listObjects(folder)) if (!retained.has(path)) await rm(join(folder, path), { force: true });
}

/** Files of uploads and reports that belong to the rows of snapshots. */
const snapshotFiles = ({ folder, objects }: { readonly folder: string; readonly objects: string }) => {
  const folderOf = (name: string) => join(folder, name);
  return {
    /** Adds missing files to the snapshot. -> number of its files */
    async save(name: string): Promise<number> {
      return copyMissing(objects, folderOf(name));
    },
    /** Removes files from the snapshot that no longer exist in the objects folder. */
    trim: (name: string) => removeOthers(folderOf(name), objects),
    /** Restores missing files; files of the present rows are kept until `removeObsolete`. */
    restore: (name: string) => copyMissing(folderOf(name), objects),
    /** Removes files from the objects folder that the snapshot does not have. */
    removeObsolete: (name: string) => removeOthers(objects, folderOf(name)),
    rename: async (from: string, to: string): Promise<void> => {
      await copyMissing(folderOf(from), folderOf(to));
      await rm(folderOf(from), { recursive: true, force: true });
    },
    remove: (name: string) => rm(folderOf(name), { recursive: true, force: true }),
  };
};

/** Named snapshots of all data of an instance: rows and files. The caller must stop all writes while saving or loading. */
export interface Snapshots {
  list(): Promise<Snapshot[]>;
  has(name: string): Promise<boolean>;
  save(name: string): Promise<void>;
  /** Position of the id sequences when the snapshot was saved. -> undefined when no position was saved */
  positionOf(name: string): Promise<SequencePosition | undefined>;
  /** @errors SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED */
  check(name: string): Promise<void>;
  /** Atomic: when the process is killed, the data is either unchanged or that of the snapshot. @shape tokens: hashes of the tokens to keep, hex */
  load(name: string, tokens: readonly string[]): Promise<void>;
  /** @errors SNAPSHOT_NOT_FOUND */
  remove(name: string): Promise<Snapshot>;
  /** The new name must not be in use. */
  rename(from: string, to: string): Promise<void>;
  /** Resets call counters and moves subscriptions to the end of the log, so that past events are not delivered. */
  settle(): Promise<void>;
}

interface SnapshotsOptions {
  readonly database: Database;
  /** Folder of the snapshots' files. */
  readonly folder: string;
  /** Folder of uploads and reports. */
  readonly objects: string;
  /** The machine's time, not that of the instance's clock. */
  readonly now: Ports["now"];
  /** Current position of the id sequences. */
  readonly position: InstancePorts["position"];
}

/** Internal snapshots, which are not listed. */
const isOwn = (name: string): boolean => name.startsWith("_");

/** Opens the snapshots. The service and the app host must have created their tables before the first save. */
export async function openSnapshots({
  database,
  folder,
  objects,
  now,
  position,
}: SnapshotsOptions): Promise<Snapshots> {
  await migrate(database, SNAPSHOT_SCHEMA, SNAPSHOT_MIGRATIONS);
  const store = snapshotStore(database);
  const files = snapshotFiles({ folder, objects });

  const toSnapshot = ({ name, saved_time, row_count, file_count, shape }: SnapshotRow, present: string): Snapshot => ({
    name,
    saved_time: saved_time.toISOString(),
    rows: row_count,
    files: file_count,
    loadable: shape === present,
  });

  return {
    async list() {
      const [rows, shape] = await Promise.all([store.list(), store.shape()]);
      return rows.filter(({ name }) => !isOwn(name)).map((row) => toSnapshot(row, shape));
    },
    has: async (name) => (await store.find(name)) !== undefined,
    async save(name) {
      await store.save(name, { time: now(), files: await files.save(name), position });
      await files.trim(name);
    },
    positionOf: async (name) => (await store.find(name))?.place ?? undefined,
    async check(name) {
      const [row, shape] = await Promise.all([store.find(name), store.shape()]);
      if (!row) refuse(SNAPSHOT_NOT_FOUND, `There is no snapshot named ${name}.`);
      else if (row.shape !== shape) refuse(SNAPSHOT_OUTDATED);
    },
    async load(name, tokens) {
      await files.restore(name);
      await store.load(name, tokens);
      await files.removeObsolete(name);
    },
    async remove(name) {
      const [row, shape] = await Promise.all([store.find(name), store.shape()]);
      if (!row) return refuse(SNAPSHOT_NOT_FOUND, `There is no snapshot named ${name}.`);
      await store.remove(name);
      await files.remove(name);
      return toSnapshot(row, shape);
    },
    async rename(from, to) {
      await files.rename(from, to);
      await store.rename(from, to);
    },
    settle: () => store.settle(),
  };
}
