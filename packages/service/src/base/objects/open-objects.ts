import { tmpdir } from "node:os";
import type { Db } from "@parley/database";
import type { Log, Metrics } from "@parley/telemetry";
import type { Ports } from "../environment/ports.ts";
import type { ObjectsConfig } from "./config.ts";
import { createAddressSigner, type AddressSigner } from "./signed-addresses.ts";
import { ObjectStoreFailure, type ObjectStore } from "./object-store.ts";
import { openPlaces } from "./places.ts";
import { reportStorage, withStorageHealth, type StorageHealth } from "./storage-health.ts";
import { createSpoolFile, type SpoolFile } from "./spool.ts";
import { signingKeyStore } from "./store.ts";

interface ObjectsDeps {
  /** Replaces the places of the settings. */
  readonly objects?: ObjectStore | undefined;
  readonly config?: ObjectsConfig | undefined;
  /** Folder of objects if the settings name no place, and of contents that are being received for a bucket. */
  readonly folder?: string | undefined;
  readonly db: Db;
  readonly ports: Ports;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Object store with its health, URL signer and spool. */
export interface OpenedObjects {
  readonly objects: ObjectStore;
  readonly storageHealth: StorageHealth;
  readonly addresses: AddressSigner;
  readonly spool: SpoolFile;
}

/** Default, relative to the working directory. */
const DEFAULT_FOLDER = ".parley/objects";
/** @units bytes */
const SECRET_BYTES = 32;

/**
 * A storage that refuses the settings keeps the service from starting. One that can't be reached does not: messages need no objects, and the
 * storage may come back. @errors UsageFailure
 */
const checkAtStart = async (objects: ObjectStore, log: Log): Promise<void> => {
  try {
    await objects.check();
  } catch (error) {
    if (!(error instanceof ObjectStoreFailure)) throw error;
    log(`Uploads and downloads fail until the storage answers: ${error.message}`, { level: "error", part: "objects" });
  }
};

/** Opens the object store and the URL signer. All processes on a database share the signer's secret. */
export async function openObjects({
  objects,
  config = {},
  folder = DEFAULT_FOLDER,
  db,
  ports,
  metrics,
  log,
}: ObjectsDeps): Promise<OpenedObjects> {
  const opened = objects ? { objects, spoolFolder: tmpdir() } : await openPlaces(config, folder);
  await checkAtStart(opened.objects, log);
  const checked = withStorageHealth({ objects: opened.objects, log });
  reportStorage(metrics, checked);
  const secret = await signingKeyStore(db).ensure("objects", ports.random(SECRET_BYTES));
  return {
    ...checked,
    addresses: createAddressSigner({ secret, now: ports.now }),
    // In the data folder, because a folder of temporary files may be in memory.
    spool: createSpoolFile(opened.spoolFolder),
  };
}
