import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseUnavailable, failureLine } from "../errors/failure.ts";
import { allowTraversal, makePrivate } from "../environment/private-folder.ts";
import { binariesIn, type Binaries } from "./binaries.ts";
import {
  canUse,
  changeOwner,
  currentUser,
  hasName,
  identitiesOfRoot,
  identityOfProcess,
  type SystemUser,
} from "./identity.ts";

/** Location of the cluster, and the user that its server runs as. */
interface Home {
  readonly folder: string;
  readonly identity: SystemUser;
  readonly binaries: Binaries;
}

/** Properties of the system for a start as root. */
interface System {
  readonly identities: (files: string) => readonly SystemUser[];
  /** System folder for clusters and binaries that the server's user can't reach in their original location. */
  readonly folder: string;
}

const THIS_SYSTEM: System = { identities: identitiesOfRoot, folder: "/var/lib/parley" };
/** File in the data folder with the path of a moved cluster. */
const MOVED_TO_FILE = "moved-to";

/** Path of a moved cluster; undefined if the cluster is in the folder itself. */
const movedTo = (folder: string): string | undefined => {
  const note = join(folder, MOVED_TO_FILE);
  return existsSync(note) ? readFileSync(note, "utf8").trim() : undefined;
};

/** Path of a data folder's cluster, which may not exist. */
export const clusterOf = (dataFolder: string): string => {
  const folder = join(dataFolder, "postgres");
  return join(movedTo(folder) ?? folder, "cluster");
};

/** Chooses location and user for the server of a data folder. @errors DatabaseUnavailable */
export function chooseHome(dataFolder: string, binaries: Binaries, system: System = THIS_SYSTEM): Home {
  const folder = join(dataFolder, "postgres");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const note = join(folder, MOVED_TO_FILE);
  const moved = movedTo(folder);
  if (moved !== undefined) return systemHome(moved, binaries, system);
  if (process.getuid?.() !== 0) {
    const identity = identityOfProcess();
    if (canUse(identity, binaries.postgres, folder)) {
      makePrivate(folder, () => undefined);
      return { folder, identity, binaries };
    }
    if (!hasName() && canUse(currentUser, binaries.postgres, folder))
      throw new DatabaseUnavailable(
        `PostgreSQL can't run as the user ${process.getuid?.()}, which has no name in /etc/passwd, and this system permits no user namespaces. ` +
          "Add an entry for the user, start as another user, or set DATABASE_URL.",
      );
    throw new DatabaseUnavailable(
      `${folder} belongs to another user. Start as that user, give the folder to this user (chown -R), or choose another data folder.`,
    );
  }
  const identity = findUsableIdentity(folder, binaries, system, dataFolder);
  if (identity) return { folder, identity, binaries };
  return moveOut(folder, note, binaries, system);
}

/**
 * Finds the first identity available to root that can run these binaries in this folder, and transfers the folder to it.
 * @shape parentFolder: the private parent folder
 */
function findUsableIdentity(
  folder: string,
  binaries: Binaries,
  system: System,
  parentFolder?: string,
): SystemUser | undefined {
  return system.identities(join(folder, "cluster")).find((identity) => {
    try {
      changeOwner(identity, folder);
      chmodSync(folder, 0o700);
      if (parentFolder !== undefined && identity.user) allowTraversal(parentFolder, identity.user);
    } catch {
      return false;
    }
    return canUse(identity, binaries.postgres, folder);
  });
}

/** Moves an existing cluster to the system folder and writes the `moved-to` file. */
function moveOut(folder: string, note: string, binaries: Binaries, system: System): Home {
  const target = join(system.folder, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  try {
    mkdirSync(target, { recursive: true });
    const [from, draft, to] = [join(folder, "cluster"), join(target, "cluster.copy"), join(target, "cluster")];
    rmSync(draft, { recursive: true, force: true });
    if (existsSync(from)) {
      cpSync(from, draft, { recursive: true, preserveTimestamps: true });
      rmSync(to, { recursive: true, force: true });
      renameSync(draft, to);
    }
    const home = systemHome(target, binaries, system);
    writeFileSync(note, `${target}\n`);
    rmSync(from, { recursive: true, force: true });
    return home;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(unreachable(`${target}: ${failureLine(error)}`));
  }
}

function systemHome(target: string, binaries: Binaries, system: System): Home {
  if (!existsSync(target))
    throw new DatabaseUnavailable(
      `The data was moved to ${target}, which is missing. Bring it back, or choose another data folder.`,
    );
  const sources = [() => binaries, () => copyOut(binaries, system)];
  for (const source of sources) {
    const found = source();
    const identity = findUsableIdentity(target, found, system);
    if (identity) return { folder: target, identity, binaries: found };
  }
  throw new DatabaseUnavailable(unreachable(target));
}

/** Copies the binaries to a folder that every user can read. */
function copyOut(binaries: Binaries, system: System): Binaries {
  const target = join(system.folder, `postgres-${binaries.version}`);
  if (!existsSync(target)) {
    const draft = `${target}.copy`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(binaries.folder, draft, { recursive: true, verbatimSymlinks: true });
    renameSync(draft, target);
  }
  chmodSync(system.folder, 0o755);
  return binariesIn(target, binaries.version);
}

const unreachable = (target: string): string =>
  `PostgreSQL must not run as root, and no other user can work in ${target}. Start as an ordinary user, choose a data folder that others may enter, or set DATABASE_URL.`;
