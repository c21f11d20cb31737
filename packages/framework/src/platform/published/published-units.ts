import { gather } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import type { Project } from "../../model/project.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { AppUnit } from "../../unit/app-unit.ts";
import type { PublishedRuntime } from "../process/runtime.ts";
import type { InstalledVersion, PublishedInstallationStore } from "./store.ts";

/** The published versions that units are made of. */
export interface VersionSource {
  /** -> undefined for an unknown version */
  project(app: string, version: string): Promise<Project | undefined>;
  /** The newest version in the catalogue of an account; undefined if the catalogue lacks the app. */
  newest(app: string, account: string): Promise<string | undefined>;
  /** Whether the catalogue of an account has a version of an app. */
  isOffered(app: string, account: string, version: string): Promise<boolean>;
}

interface PublishedUnitsDeps {
  readonly store: Pick<PublishedInstallationStore, "versions" | "byId">;
  readonly versions: VersionSource;
  readonly createUnit: (owner: RecordOwner, version: string, project: Project) => AppUnit;
  readonly log: Log;
}

/** Units of published apps, opened when they are needed. */
export interface PublishedUnits extends PublishedRuntime {
  /** The unit of the installed version; for an app that is not installed, that of the newest version in the account's catalogue. */
  open(owner: RecordOwner): Promise<AppUnit | undefined>;
  /** The unit of one version, installed or not. */
  openVersion(owner: RecordOwner, version: string): Promise<AppUnit | undefined>;
  /**
   * The unit of a version that the account has installed, or can install; undefined for any other. Undefined version: as `open`.
   */
  openOffered(owner: RecordOwner, version: string | undefined): Promise<AppUnit | undefined>;
  /** The unit of an installation. @shape id: of the installation */
  openInstallation(id: string): Promise<AppUnit | undefined>;
  /** Closes the units that were not used for this time. @units milliseconds */
  closeIdle(idleMs: number): Promise<void>;
}

interface OpenUnit {
  readonly owner: RecordOwner;
  readonly version: string;
  readonly unit: AppUnit;
  /** @units milliseconds of the monotonic clock */
  usedMs: number;
}

const keyOf = ({ project, account }: RecordOwner, version: string): string => `${account}/${project}@${version}`;

const LOOKUP_BATCH_MAX = 256;

export const createPublishedUnits = ({ store, versions, createUnit, log }: PublishedUnitsDeps): PublishedUnits => {
  const open = new Map<string, OpenUnit>();
  /** The installed version by owner, as last seen here: another version was upgraded by this or another process. */
  const current = new Map<string, string>();

  // Looked up with each use, since another process can install, upgrade or uninstall; many lookups share a statement.
  const installedVersion = gather<RecordOwner, InstalledVersion | undefined>({
    name: "installed versions",
    maxBatch: LOOKUP_BATCH_MAX,
    run: (owners) => store.versions(owners),
  });
  const installedById = gather<string, (RecordOwner & InstalledVersion) | undefined>({
    name: "installations by id",
    maxBatch: LOOKUP_BATCH_MAX,
    run: (ids) => store.byId(ids),
  });

  const close = async (key: string, one: OpenUnit): Promise<void> => {
    open.delete(key);
    await one.unit
      .close()
      .catch((error: unknown) => log(`An app could not be closed: ${failureText(error)}`, { level: "error" }));
  };

  const openVersion = async (owner: RecordOwner, version: string): Promise<AppUnit | undefined> => {
    const key = keyOf(owner, version);
    const present = open.get(key);
    if (present) {
      present.usedMs = performance.now();
      return present.unit;
    }
    const project = await versions.project(owner.project, version);
    if (!project) return undefined;
    // Opened meanwhile by another request.
    const opened = open.get(key);
    if (opened) return opened.unit;
    const unit = createUnit(owner, version, project);
    open.set(key, { owner, version, unit, usedMs: performance.now() });
    return unit;
  };

  /** Ends the processes of the version that was replaced. */
  const noteVersion = (owner: RecordOwner, version: string): void => {
    const ownerKey = keyOf(owner, "");
    const before = current.get(ownerKey);
    current.set(ownerKey, version);
    if (before === undefined || before === version) return;
    const replaced = open.get(keyOf(owner, before));
    if (replaced) void close(keyOf(owner, before), replaced);
  };

  const openCurrent = async (owner: RecordOwner): Promise<AppUnit | undefined> => {
    const installed = await installedVersion(owner);
    if (installed) {
      noteVersion(owner, installed.version);
      return openVersion(owner, installed.version);
    }
    const newest = await versions.newest(owner.project, owner.account);
    return newest === undefined ? undefined : openVersion(owner, newest);
  };

  return {
    units: () => [...open.values()].map(({ unit }) => unit),
    openVersion,
    open: openCurrent,
    async openOffered(owner, version) {
      const unit = await openCurrent(owner);
      if (!unit || version === undefined || unit.appVersion === version) return unit;
      const isOffered = await versions.isOffered(owner.project, owner.account, version);
      return isOffered ? openVersion(owner, version) : undefined;
    },
    async openInstallation(id) {
      const installed = await installedById(id);
      if (!installed) return undefined;
      const { version, ...owner } = installed;
      noteVersion(owner, version);
      return openVersion(owner, version);
    },
    async closeIdle(idleMs) {
      const limit = performance.now() - idleMs;
      const idle = [...open].filter(([, { usedMs }]) => usedMs < limit);
      await Promise.all(idle.map(([key, one]) => close(key, one)));
    },
  };
};
