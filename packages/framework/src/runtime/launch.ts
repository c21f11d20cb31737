import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { readFile } from "node:fs/promises";

/** How a process with no rights is started on this machine. */
export interface Launch {
  /** Descriptor 3 of the process is its lifeline, 4 the channel. */
  (script: string, limits: MemoryLimits): ChildProcess;
}

export interface MemoryLimits {
  readonly heapMb: number;
  readonly dataMb: number;
}

/** What this machine lets us do: the more of it, the better. */
interface Ways {
  /** Another user, so that the files and processes of the host's are out of reach. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** A network of its own, with nothing in it. */
  readonly alone: boolean;
}

const NOBODY = 65_534;

async function nobody(): Promise<{ uid: number; gid: number }> {
  const users = await readFile("/etc/passwd", "utf8").catch(() => "");
  const [, , uid = NOBODY, gid = NOBODY] = /^nobody:.*$/m.exec(users)?.[0].split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * A watcher beside the process ends it when the lifeline breaks, which it does even when the host is killed with -9: a
 * handler in an endless loop would notice nothing by itself. `$$` is the shell, which becomes the process.
 */
const SHELL = `
(read -r _ <&3; kill -9 $$) </dev/null >/dev/null 2>&1 4>&- &
exec 3<&-
ulimit -c 0
ulimit -d "$1" 2>/dev/null
shift
exec "$@"
`;

/** Node 22 renamed it; both know no file, process, worker or addon unless told. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** Ends a launched process with its watcher. */
export const endGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
};

const launchBy =
  (ways: Ways): Launch =>
  (script, { heapMb, dataMb }) => {
    // In a function, since the names of a script's top level are everybody's.
    const program = `(() => {${script}\n})()`;
    const node = [process.execPath, permission, `--max-old-space-size=${heapMb}`, "--no-warnings", "-e", program];
    const command = [...(ways.alone ? ["unshare", "--user", "--net", "--"] : []), ...node];
    const options: SpawnOptions = {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", TZ: "UTC" },
      // A session of its own: Ctrl-C in the host's terminal is not for it, and one signal ends it with its watcher.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
      ...ways.user,
    };
    return spawn("/bin/sh", ["-c", SHELL, "sh", String(dataMb * 1024), ...command], options);
  };

const works = (launch: Launch): Promise<boolean> =>
  new Promise((resolve) => {
    const child = launch("process.exit(7)", { heapMb: 64, dataMb: 4096 });
    child.once("error", () => resolve(false));
    child.once("exit", (status) => {
      endGroup(child);
      for (const stream of child.stdio) stream?.destroy();
      resolve(status === 7);
    });
  });

const SHORTCOMINGS = {
  user: "warn: The app's code runs as this very user: another one can't be used, or can't reach Node.",
  alone:
    "warn: The app's code has no network of its own ('unshare' does not work here); only Node itself keeps it off the network.",
};

/**
 * Finds out what this machine lets us do by trying, the best first; the log says what is missing.
 * @errors Error when no process can be started at all
 */
export async function findLaunch(log: (line: string) => void = () => undefined): Promise<Launch> {
  const user = process.getuid?.() === 0 ? await nobody() : undefined;
  const ways: Ways[] = [
    ...(user
      ? [
          { user, alone: true },
          { user, alone: false },
        ]
      : []),
    { alone: true },
    { alone: false },
  ];
  for (const way of ways) {
    const launch = launchBy(way);
    if (!(await works(launch))) continue;
    if (user && !way.user) log(SHORTCOMINGS.user);
    if (!way.alone) log(SHORTCOMINGS.alone);
    return launch;
  }
  throw new Error("The process for the app's code can't be started: /bin/sh or Node itself does not run here.");
}
