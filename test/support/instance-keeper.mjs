/**
 * Runs a command until standard input ends or SIGTERM arrives, then ends it and removes a folder. A process that starts this one and holds
 * its standard input leaves neither processes nor files, even if it is killed. Usage: node instance-keeper.mjs <folder> <command>
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";

/** Time that the command has to end. @units milliseconds */
const END_WITHIN_MS = 10_000;

const [folder, file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
for (const name of ["stdout", "stderr"]) {
  child[name].pipe(process[name]);
  // The reader has ended. The command must be able to write until it ends, too.
  process[name].on("error", () => child[name].resume());
}
const ended = once(child, "close");
const end = () => {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), END_WITHIN_MS).unref();
};
process.stdin.once("end", end).resume();
process.once("SIGTERM", end);
// A terminal sends it to the command, too.
process.on("SIGINT", () => undefined);
const [status] = await ended;
rmSync(folder, { recursive: true, force: true });
process.exit(status ?? 1);
