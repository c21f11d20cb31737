import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { spawnAs, type Identity } from "./identity.ts";
import { tailOf } from "./tail.ts";

/** All that one start of the server needs. */
export interface Launch {
  readonly binaries: Binaries;
  readonly cluster: string;
  readonly identity: Identity;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** A server that runs. */
export interface ServerProcess {
  /** Resolves with the reason when it has ended, wanted or not. */
  readonly ended: Promise<string>;
  /** Asks it to end (a fast shutdown). */
  stop(): void;
}

/** The server said why it does not start. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
}

/**
 * Keeps the server no longer than Node: when Node is gone, its end of the pipe on standard input closes, whatever killed it.
 * The watcher takes the pipe by another number, since a shell gives its background jobs an empty standard input.
 */
const GUARD = `exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
{ read line <&3; kill -INT $server; } 2>/dev/null &
watcher=$!
wait $server
status=$?
kill $watcher 2>/dev/null
exit $status`;

/** How often a long start is spoken of. @units milliseconds */
const STILL = 5_000;

/** Starts the server and waits until it takes connections, however long a recovery takes. @errors StartFailure */
export async function startProcess({ binaries, cluster, identity, settings, log }: Launch): Promise<ServerProcess> {
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const pidFile = join(cluster, "postmaster.pid");
  const before = readIfAny(pidFile);
  const child = spawnAs(identity, ["/bin/sh", "-c", GUARD, "sh", binaries.postgres, "-D", cluster, ...flags], cluster);
  // A failed start is told by its StartFailure, and a stop ends connections on purpose: only what comes between is news.
  let serving = false;
  const tail = tailOf(child.stderr, (line) => serving && log(line));
  // A pipe to a process that has just ended breaks; `ended` says so already.
  child.stdin?.on("error", () => undefined);
  let over = false;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it ended with ${code ?? signal}`));
  }).finally(() => (over = true));

  const told = setInterval(() => log("PostgreSQL is still starting: it recovers what a crash left"), STILL);
  try {
    while (!over) {
      const now = readIfAny(pidFile);
      if (now !== before && now?.trimEnd().endsWith("ready")) {
        serving = true;
        return {
          ended,
          stop() {
            serving = false;
            child.stdin?.end();
          },
        };
      }
      await Promise.race([setTimeout(5), ended]);
    }
  } finally {
    clearInterval(told);
  }
  // The last lines may come after the exit.
  await setTimeout(20);
  throw new StartFailure(tail.last(await ended));
}

function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
