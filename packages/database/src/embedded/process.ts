import type { Log } from "@parley/telemetry";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { spawnAs, type SystemUser } from "./identity.ts";
import { tailOf } from "./tail.ts";

/** Parameters of one server start. */
export interface Launch {
  readonly binaries: Binaries;
  readonly cluster: string;
  readonly identity: SystemUser;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** A running server. */
export interface ServerProcess {
  /** Resolves with the reason when the server has ended, for whatever cause. */
  readonly ended: Promise<string>;
  /** Requests a fast shutdown. */
  stop(): void;
}

/** The server failed to start; the message is the server's own. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
}

/**
 * Ends the server when Node ends: then the pipe on standard input closes, however Node was killed. The watcher reads the pipe from
 * another file descriptor, since a shell gives its background jobs an empty standard input.
 */
const GUARD_SCRIPT = `exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
{ read line <&3; kill -INT $server; } 2>/dev/null &
watcher=$!
wait $server
status=$?
kill $watcher 2>/dev/null
exit $status`;

/** Interval of log lines during a long start. @units milliseconds */
const PROGRESS_LOG_INTERVAL_MS = 5_000;

/** Starts the server and waits until it accepts connections, however long a recovery takes. @errors StartFailure */
export async function startProcess({ binaries, cluster, identity, settings, log }: Launch): Promise<ServerProcess> {
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const pidFile = join(cluster, "postmaster.pid");
  const before = readIfAny(pidFile);
  const child = spawnAs(
    identity,
    ["/bin/sh", "-c", GUARD_SCRIPT, "sh", binaries.postgres, "-D", cluster, ...flags],
    cluster,
  );
  // A failed start is reported by StartFailure, and a shutdown closes connections deliberately: only lines in between are logged.
  let isServing = false;
  const tail = tailOf(child.stderr, (line) => isServing && log(line));
  // Writing to a process that has just ended fails; `ended` already reports that.
  child.stdin?.on("error", () => undefined);
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it ended with ${code ?? signal}`));
  }).finally(() => (hasEnded = true));

  const progressLog = setInterval(
    () => log("PostgreSQL is still starting: it recovers what a crash left"),
    PROGRESS_LOG_INTERVAL_MS,
  );
  try {
    while (!hasEnded) {
      const now = readIfAny(pidFile);
      if (now !== before && now?.trimEnd().endsWith("ready")) {
        isServing = true;
        return {
          ended,
          stop() {
            isServing = false;
            child.stdin?.end();
          },
        };
      }
      await Promise.race([setTimeout(5), ended]);
    }
  } finally {
    clearInterval(progressLog);
  }
  // The last lines may arrive after the exit.
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
