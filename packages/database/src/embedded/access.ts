import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { randomSalt, randomText } from "../environment/ports.ts";
import { accessSql, databaseNames, ownershipSql, type ClusterRole } from "./access-sql.ts";
import type { SystemUser } from "./identity.ts";
import { StartFailure, type Launch } from "./process.ts";
import { runSingleUser } from "./single-user.ts";

/** The only role that can connect to an embedded server: not a superuser, and the owner of the product's database and schemas. */
export const APP_ROLE = "parley";

/** Options of the role: without CREATEDB, and as owner of its database, it can create schemas there and nothing outside. */
const APP_ROLE_OPTIONS =
  "login nosuperuser nocreatedb nocreaterole noreplication nobypassrls inherit connection limit -1";

/** Stored in the cluster's folder, so that both are moved and copied together. The file exists once the roles are set up. */
const PASSWORD_FILE = "parley-password";
const HBA_FILE = "pg_hba.conf";
/** The database that initdb creates. */
const FIRST_DATABASE = "postgres";

const PASSWORD_BYTES = 32;
const SALT_BYTES = 16;
/** The minimum of RFC 7677: more iterations protect passwords that people choose, not 32 random bytes. */
const SCRAM_ITERATIONS = 4096;
/** Of a server with an administrator: each connection of a test would spend two milliseconds on the iterations. */
const SCRAM_ITERATIONS_OF_TESTS = 1;

/** A superuser for tests and benchmarks that create databases. Nothing else creates a superuser. */
export interface Administrator {
  readonly name: string;
  readonly password: string;
}

/** Reads the password of the product's role; undefined if the cluster's roles are not set up yet. */
export function readPassword(cluster: string): string | undefined {
  try {
    return readFileSync(join(cluster, PASSWORD_FILE), "utf8").trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Sets up the access to a stopped cluster before each start: `pg_hba.conf` admits the product's role by password only, and in a cluster in
 * which the product was a superuser, objects change their owner. The setup is idempotent; after an interruption the next start completes
 * it. The bootstrap superuser has neither login nor password and is available in single-user mode only, which requires access to the
 * cluster's files.
 * @errors StartFailure
 */
export async function secureCluster(launch: Launch, administrator?: Administrator): Promise<void> {
  const { cluster, identity } = launch;
  // The administrator creates other roles.
  const previous = writeIfChanged(cluster, HBA_FILE, hbaOf(administrator ? "all" : APP_ROLE), identity);
  if (readPassword(cluster) !== undefined) {
    chmodSync(join(cluster, PASSWORD_FILE), 0o600);
    return;
  }
  if (previous !== undefined && /^\s*(local|host\w*)\s.*\strust\b/m.test(previous))
    launch.log("PostgreSQL: the data of an earlier release gets a role with a password, and its objects a new owner");
  const password = randomText(PASSWORD_BYTES);
  const verifierOf = (secret: string) =>
    scramVerifier(secret, administrator ? SCRAM_ITERATIONS_OF_TESTS : SCRAM_ITERATIONS);
  const roles: ClusterRole[] = [{ name: APP_ROLE, options: APP_ROLE_OPTIONS, verifier: verifierOf(password) }];
  if (administrator)
    roles.push({ name: administrator.name, options: "login superuser", verifier: verifierOf(administrator.password) });
  // A new cluster has no other database, so that one run sets up everything.
  const statements = [...accessSql(roles, APP_ROLE), ...ownershipSql(FIRST_DATABASE, APP_ROLE)];
  const output = await runSingleUser(launch, FIRST_DATABASE, statements);
  for (const database of databaseNames(output).filter((name) => name !== FIRST_DATABASE))
    await runSingleUser(launch, database, ownershipSql(database, APP_ROLE));
  // Written last: a start without this file repeats the setup.
  writePrivate(cluster, PASSWORD_FILE, `${password}\n`, identity);
}

const hbaOf = (roles: string): string =>
  [
    "# Written at each start of the server: changes are lost.",
    "# TYPE  DATABASE  USER  ADDRESS  METHOD",
    `local all ${roles} scram-sha-256`,
    `host all ${roles} all scram-sha-256`,
    "",
  ].join("\n");

/** Derives the SCRAM verifier that PostgreSQL stores, so that the password itself appears in no statement and no log. @spec RFC 5803 */
function scramVerifier(password: string, iterations: number): string {
  const salt = randomSalt(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const keyOf = (purpose: string) => createHmac("sha256", salted).update(purpose).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  const serverKey = keyOf("Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

/** Returns the previous content ("" if there was no file), or undefined if the file already had this content. */
function writeIfChanged(folder: string, name: string, text: string, identity: SystemUser): string | undefined {
  let previous = "";
  try {
    previous = readFileSync(join(folder, name), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (previous === text) return undefined;
  writePrivate(folder, name, text, identity);
  return previous;
}

/** Writes a file atomically, with access for its owner only, independent of the umask. */
function writePrivate(folder: string, name: string, text: string, { owner }: SystemUser): void {
  const [draft, path] = [join(folder, `${name}.new`), join(folder, name)];
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(draft, 0o600);
  if (owner) chownSync(draft, owner.uid, owner.gid);
  renameSync(draft, path);
}

/** Reads the password of the product's role, which must exist. @errors StartFailure */
export function passwordOf(cluster: string): string {
  const password = readPassword(cluster);
  if (password === undefined) throw new StartFailure(`${join(cluster, PASSWORD_FILE)} is missing`);
  return password;
}
