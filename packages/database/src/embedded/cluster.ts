import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { testCluster } from "../environment/config.ts";
import { DatabaseUnavailable } from "../errors/failure.ts";
import { majorOf, type Binaries } from "./binaries.ts";
import { changeOwner, spawnAs, type SystemUser } from "./identity.ts";
import { tailOf } from "./tail.ts";

const INIT = [
  ["-U", "postgres"],
  // No role can log in until access.ts has set up the roles.
  ["-A", "reject"],
  ["-E", "UTF8"],
  ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
  ["--no-instructions"],
].flat();

/** Creates the cluster in `<home>/cluster` if it doesn't exist, and returns its folder. @errors DatabaseUnavailable */
export async function ensureCluster(home: string, binaries: Binaries, identity: SystemUser): Promise<string> {
  const cluster = join(home, "cluster");
  const draft = join(home, "cluster.new");
  rmSync(draft, { recursive: true, force: true });
  if (existsSync(join(cluster, "PG_VERSION"))) {
    refuseOtherMajor(cluster, binaries);
    changeOwner(identity, cluster);
    return cluster;
  }
  mkdirSync(draft, { mode: 0o700 });
  const prepared = preparedCluster(binaries);
  if (prepared !== undefined) cpSync(prepared, draft, { recursive: true });
  changeOwner(identity, draft);
  if (prepared === undefined) await initialise(draft, binaries, identity);
  // The rename is atomic: a folder of this name always contains a complete cluster.
  renameSync(draft, cluster);
  syncFolder(home);
  return cluster;
}

/** A pristine cluster of exactly this release, if a test run provides a cluster. */
function preparedCluster({ version }: Binaries): string | undefined {
  const folder = testCluster();
  if (folder === undefined) return undefined;
  const cluster = join(folder, version);
  // A cluster of another user can't be read and is ignored.
  return existsSync(join(cluster, "PG_VERSION")) ? cluster : undefined;
}

async function initialise(folder: string, binaries: Binaries, identity: SystemUser): Promise<void> {
  const child = spawnAs(identity, [binaries.initdb, "-D", folder, ...INIT], folder);
  const tail = tailOf(child.stderr);
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) =>
      resolve(code === 0 ? undefined : tail.last(`initdb ended with ${code ?? signal}`)),
    );
  });
  if (failure !== undefined)
    throw new DatabaseUnavailable(
      `PostgreSQL's data could not be made in ${folder}: ${failure}. Check the disk and the permissions there, or set DATABASE_URL.`,
    );
}

function refuseOtherMajor(cluster: string, binaries: Binaries): void {
  const found = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  const major = majorOf(binaries.version);
  if (found !== major)
    throw new DatabaseUnavailable(
      `${cluster} was written by PostgreSQL ${found}, this release brings ${major}. Start the release that wrote it, or move the data with pg_dump.`,
    );
}

/** Without fsync, a power failure could revert the rename and lose all committed data. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
