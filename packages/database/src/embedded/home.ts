import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseUnavailable, failureLine } from "../errors/failure.ts";
import { letThrough, makePrivate } from "../environment/private-folder.ts";
import { binariesIn, type Binaries } from "./binaries.ts";
import { canUse, giveTo, identitiesOfRoot, ordinary, type Identity } from "./identity.ts";

/** Location of the cluster, and the user that its server runs as. */
export interface Home {
  readonly folder: string;
  readonly identity: Identity;
  readonly binaries: Binaries;
}

/** Properties of the system for a start as root. */
export interface System {
  readonly identities: (files: string) => readonly Identity[];
  /** System folder for clusters and binaries that the server's user can't reach in their original location. */
  readonly folder: string;
}

const THIS_SYSTEM: System = { identities: identitiesOfRoot, folder: "/var/lib/parley" };
/** File in the data folder with the path of a moved cluster. */
const NOTE = "moved-to";

/** Path of a moved cluster; undefined if the cluster is in the folder itself. */
const movedTo = (folder: string): string | undefined => {
  const note = join(folder, NOTE);
  return existsSync(note) ? readFileSync(note, "utf8").trim() : undefined;
};

/** Path of a data folder's cluster, which may not exist. */
export const clusterOf = (dataFolder: string): string => {
  const folder = join(dataFolder, "postgres");
  return join(movedTo(folder) ?? folder, "cluster");
};

/** Chooses location and user for the server of a data folder. @errors DatabaseUnavailable */
export function settle(dataFolder: string, binaries: Binaries, system: System = THIS_SYSTEM): Home {
  const folder = join(dataFolder, "postgres");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const note = join(folder, NOTE);
  const moved = movedTo(folder);
  if (moved !== undefined) return systemHome(moved, binaries, system);
  if (process.getuid?.() !== 0) {
    if (canUse(ordinary, binaries.postgres, folder)) {
      makePrivate(folder, () => undefined);
      return { folder, identity: ordinary, binaries };
    }
    throw new DatabaseUnavailable(
      `${folder} belongs to another user. Start as that user, give the folder to this one (chown -R), or choose another data folder.`,
    );
  }
  const identity = usable(folder, binaries, system, dataFolder);
  if (identity) return { folder, identity, binaries };
  return moveOut(folder, note, binaries, system);
}

/**
 * Finds the first identity available to root that can run these binaries in this folder, and transfers the folder to it.
 * @shape above: the private parent folder
 */
function usable(folder: string, binaries: Binaries, system: System, above?: string): Identity | undefined {
  return system.identities(join(folder, "cluster")).find((identity) => {
    try {
      giveTo(identity, folder);
      chmodSync(folder, 0o700);
      if (above !== undefined && identity.user) letThrough(above, identity.user);
    } catch {
      return false;
    }
    return canUse(identity, binaries.postgres, folder);
  });
}

/** Moves an existing cluster to the system folder and writes the `moved-to` file. */
function moveOut(folder: string, note: string, binaries: Binaries, system: System): Home {
  const place = join(system.folder, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  try {
    mkdirSync(place, { recursive: true });
    const [from, draft, to] = [join(folder, "cluster"), join(place, "cluster.copy"), join(place, "cluster")];
    rmSync(draft, { recursive: true, force: true });
    if (existsSync(from)) {
      cpSync(from, draft, { recursive: true, preserveTimestamps: true });
      rmSync(to, { recursive: true, force: true });
      renameSync(draft, to);
    }
    const home = systemHome(place, binaries, system);
    writeFileSync(note, `${place}\n`);
    rmSync(from, { recursive: true, force: true });
    return home;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(unreachable(`${place}: ${failureLine(error)}`));
  }
}

function systemHome(place: string, binaries: Binaries, system: System): Home {
  if (!existsSync(place))
    throw new DatabaseUnavailable(
      `The data was moved to ${place}, which is missing. Bring it back, or choose another data folder.`,
    );
  const sources = [() => binaries, () => copyOut(binaries, system)];
  for (const source of sources) {
    const found = source();
    const identity = usable(place, found, system);
    if (identity) return { folder: place, identity, binaries: found };
  }
  throw new DatabaseUnavailable(unreachable(place));
}

/** Copies the binaries to a folder that every user can read. */
function copyOut(binaries: Binaries, system: System): Binaries {
  const place = join(system.folder, `postgres-${binaries.version}`);
  if (!existsSync(place)) {
    const draft = `${place}.copy`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(binaries.folder, draft, { recursive: true, verbatimSymlinks: true });
    renameSync(draft, place);
  }
  chmodSync(system.folder, 0o755);
  return binariesIn(place, binaries.version);
}

const unreachable = (place: string): string =>
  `PostgreSQL must not run as root, and no other user can work in ${place}. Start as an ordinary user, choose a data folder that others may enter, or set DATABASE_URL.`;
