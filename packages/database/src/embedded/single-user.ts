import { text } from "node:stream/consumers";
import { spawnAs } from "./identity.ts";
import { StartFailure, type Launch } from "./process.ts";
import { tailOf } from "./tail.ts";

/** Settings in addition to those of the server: one transaction can change many objects. */
const SINGLE_USER_SETTINGS = {
  max_locks_per_transaction: "1024",
  log_min_messages: "error",
  // Statements contain password verifiers.
  log_min_error_statement: "panic",
};

/**
 * Runs statements on a stopped cluster as the bootstrap superuser, after crash recovery if needed. Returns the printed output.
 * @errors StartFailure if a statement fails
 */
export async function runSingleUser(launch: Launch, database: string, statements: readonly string[]): Promise<string> {
  const { binaries, identity, cluster, settings } = launch;
  const flags = Object.entries({ ...settings, ...SINGLE_USER_SETTINGS }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const command = [binaries.postgres, "--single", "-j", "-D", cluster, ...flags, database];
  const child = spawnAs(identity, command, cluster, "pipe");
  const tail = tailOf(child.stderr);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code === 0 ? "" : `it ended with ${code ?? signal}`));
  });
  // The process can end before it has read all input; `ended` reports the reason.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(statements.map((statement) => `${statement.replaceAll(/\n\s*\n/g, "\n")};\n\n`).join(""));
  const [output, failure] = await Promise.all([child.stdout ? text(child.stdout) : "", ended]);
  const errorLine = tail.find(/(ERROR|FATAL|PANIC): /);
  if (errorLine !== undefined || failure !== "") throw new StartFailure(errorLine ?? failure);
  return output;
}
