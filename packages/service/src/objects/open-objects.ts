import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { Db } from "@parley/database";
import type { Ports } from "../environment/ports.ts";
import { createAddressSigner, type AddressSigner } from "./signed-addresses.ts";
import { createSpoolFile, folderStore, prepareFolder, type ObjectStore, type SpoolFile } from "./object-store.ts";
import { signingKeyStore } from "./store.ts";

interface ObjectsDeps {
  /** Replaces the default folder store. */
  readonly objects?: ObjectStore | undefined;
  readonly folder?: string | undefined;
  readonly db: Db;
  readonly ports: Ports;
}

/** Object store, URL signer and spool. */
export interface OpenedObjects {
  readonly objects: ObjectStore;
  readonly addresses: AddressSigner;
  readonly spool: SpoolFile;
}

/** Default, relative to the working directory. */
const DEFAULT_FOLDER = ".parley/objects";
/** @units bytes */
const SECRET_BYTES = 32;

/** Opens the object store and the URL signer. All processes on a database share the signer's secret. */
export async function openObjects({
  objects,
  folder = DEFAULT_FOLDER,
  db,
  ports,
}: ObjectsDeps): Promise<OpenedObjects> {
  const absolute = resolve(folder);
  if (!objects) await prepareFolder(absolute);
  const secret = await signingKeyStore(db).ensure("objects", ports.random(SECRET_BYTES));
  return {
    objects: objects ?? folderStore(absolute),
    addresses: createAddressSigner({ secret, now: ports.now }),
    // Next to the objects, because a folder of temporary files may be in memory.
    spool: createSpoolFile(objects ? tmpdir() : absolute),
  };
}
