import { text } from "node:stream/consumers";
import { spawnAs } from "./identity.ts";
import { StartFailure, type Launch } from "./process.ts";
import { tailOf } from "./tail.ts";

/** Of its own beside those of the server: many objects may change in one transaction. */
const SETTINGS = {
  max_locks_per_transaction: "1024",
  log_min_messages: "error",
  // A statement holds verifiers of passwords.
  log_min_error_statement: "panic",
};

/**
 * Runs statements on a cluster that no server serves, as the bootstrap superuser. It recovers first what a crash left.
 * @errors StartFailure when one of them fails. -> what they printed
 */
export async function runSingleUser(launch: Launch, database: string, statements: readonly string[]): Promise<string> {
  const { binaries, identity, cluster, settings } = launch;
  const flags = Object.entries({ ...settings, ...SETTINGS }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const command = [binaries.postgres, "--single", "-j", "-D", cluster, ...flags, database];
  const child = spawnAs(identity, command, cluster, "pipe");
  const tail = tailOf(child.stderr);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code === 0 ? "" : `it ended with ${code ?? signal}`));
  });
  // It may end before it has read all; `ended` says why.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(statements.map((statement) => `${statement.replaceAll(/\n\s*\n/g, "\n")};\n\n`).join(""));
  const [said, failure] = await Promise.all([child.stdout ? text(child.stdout) : "", ended]);
  const refused = tail.find(/(ERROR|FATAL|PANIC): /);
  if (refused !== undefined || failure !== "") throw new StartFailure(refused ?? failure);
  return said;
}
