/**
 * Runs the command in the arguments until it ends, this process gets a signal, or its standard input closes, as it does when the parent process
 * ends in any way. `parley serve` itself outlives its parent, as a daemon does.
 */
import { spawn } from "node:child_process";

const [file, ...args] = process.argv.slice(2);
const child = spawn(file, args, { stdio: ["ignore", "inherit", "inherit"] });
const stop = () => child.kill("SIGTERM");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
process.stdin.once("close", stop).resume();
child.once("close", (status) => process.exit(status ?? 1));
