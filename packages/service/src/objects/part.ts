import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { Db } from "@parley/database";
import type { Ports } from "../ports.ts";
import { signedAddresses, type Addresses } from "./addresses.ts";
import { folderStore, prepareFolder } from "./folder.ts";
import type { ObjectStore } from "./objects.ts";
import { spoolIn, type Spool } from "./spool.ts";
import { signingKeyStore } from "./store.ts";

export interface ObjectsDeps {
  /** In place of the folder. */
  readonly objects?: ObjectStore | undefined;
  readonly folder?: string | undefined;
  readonly db: Db;
  readonly ports: Ports;
}

/** What keeps objects and what leads to them. */
export interface ObjectsPart {
  readonly objects: ObjectStore;
  readonly addresses: Addresses;
  readonly spool: Spool;
}

/** Seen from the folder that the process runs in, when nothing says otherwise. */
const USUAL_FOLDER = ".parley/objects";
/** @units bytes */
const SECRET = 32;

/** Opens the store of objects and the signer of their addresses, whose secret all processes on the database share. */
export async function openObjects({ objects, folder = USUAL_FOLDER, db, ports }: ObjectsDeps): Promise<ObjectsPart> {
  const absolute = resolve(folder);
  if (!objects) await prepareFolder(absolute);
  const secret = await signingKeyStore(db).ensure("objects", ports.random(SECRET));
  return {
    objects: objects ?? folderStore(absolute),
    addresses: signedAddresses({ secret, now: ports.now }),
    // Beside the objects, since a folder of temporary files may lie in memory.
    spool: spoolIn(objects ? tmpdir() : absolute),
  };
}
