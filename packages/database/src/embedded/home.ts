import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseUnavailable, lineOf } from "../failure.ts";
import { binariesIn, type Binaries } from "./binaries.ts";
import { canUse, giveTo, identitiesOfRoot, ordinary, type Identity } from "./identity.ts";

/** Where the cluster stands and who may work there. */
export interface Home {
  readonly folder: string;
  readonly identity: Identity;
  readonly binaries: Binaries;
}

/** Where root keeps clusters that the server's user can't reach in their data folder. */
const SYSTEM_FOLDER = "/var/lib/parley";
/** Names that place in the data folder. */
const NOTE = "moved-to";

/** Chooses folder and identity for the server of a data folder. @errors DatabaseUnavailable */
export function settle(dataFolder: string, binaries: Binaries): Home {
  const folder = join(dataFolder, "postgres");
  mkdirSync(folder, { recursive: true });
  const note = join(folder, NOTE);
  if (existsSync(note)) return systemHome(readFileSync(note, "utf8").trim(), binaries);
  if (process.getuid?.() !== 0) {
    if (canUse(ordinary, binaries.postgres, folder)) return { folder, identity: ordinary, binaries };
    throw new DatabaseUnavailable(
      `${folder} belongs to another user. Start as that user, give the folder to this one (chown -R), or choose another data folder.`,
    );
  }
  const identity = usable(folder, binaries);
  if (identity) return { folder, identity, binaries };
  return moveOut(folder, note, binaries);
}

/** The first identity of root that can work with these binaries in this folder, which is then given to it. */
function usable(folder: string, binaries: Binaries): Identity | undefined {
  return identitiesOfRoot(join(folder, "cluster")).find((identity) => {
    try {
      giveTo(identity, folder);
      chmodSync(folder, 0o700);
    } catch {
      return false;
    }
    return canUse(identity, binaries.postgres, folder);
  });
}

/** Moves the cluster, if there is one, to the system folder and leaves a note. */
function moveOut(folder: string, note: string, binaries: Binaries): Home {
  const place = join(SYSTEM_FOLDER, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  try {
    mkdirSync(place, { recursive: true });
    const [from, draft, to] = [join(folder, "cluster"), join(place, "cluster.copy"), join(place, "cluster")];
    rmSync(draft, { recursive: true, force: true });
    if (existsSync(from)) {
      cpSync(from, draft, { recursive: true, preserveTimestamps: true });
      rmSync(to, { recursive: true, force: true });
      renameSync(draft, to);
    }
    const home = systemHome(place, binaries);
    writeFileSync(note, `${place}\n`);
    rmSync(from, { recursive: true, force: true });
    return home;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(unreachable(`${place}: ${lineOf(error)}`));
  }
}

function systemHome(place: string, binaries: Binaries): Home {
  if (!existsSync(place))
    throw new DatabaseUnavailable(
      `The data was moved to ${place}, which is missing. Bring it back, or choose another data folder.`,
    );
  const reachable = [() => binaries, () => copyOut(binaries)];
  for (const candidate of reachable) {
    const found = candidate();
    const identity = usable(place, found);
    if (identity) return { folder: place, identity, binaries: found };
  }
  throw new DatabaseUnavailable(unreachable(place));
}

/** Copies the binaries to where every user can read them. */
function copyOut(binaries: Binaries): Binaries {
  const place = join(SYSTEM_FOLDER, `postgres-${binaries.version}`);
  if (!existsSync(place)) {
    const draft = `${place}.copy`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(binaries.folder, draft, { recursive: true, verbatimSymlinks: true });
    renameSync(draft, place);
  }
  chmodSync(SYSTEM_FOLDER, 0o755);
  return binariesIn(place, binaries.version);
}

const unreachable = (place: string): string =>
  `PostgreSQL must not run as root, and no other user can work in ${place}. Start as an ordinary user, choose a data folder that others may enter, or set DATABASE_URL.`;
