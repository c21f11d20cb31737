import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";

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
 * The shell starts the process and waits for the lifeline to break, which it does even when the host is killed with -9: a handler
 * in an endless loop would notice nothing by itself. It also reaps the process, so that nothing dead is left where nobody else does.
 */
const SHELL = `
ulimit -c 0
ulimit -d "$1" 2>/dev/null
shift
exec 5<&0
"$@" <&5 3<&- 5<&- &
child=$!
exec </dev/null >/dev/null 2>&1 4>&- 5<&-
read -r _ <&3
kill -9 $child
wait $child
`;
/** What the shell ends with when it had to kill. */
export const KILLED = 128 + 9;

/** Node 22 renamed it; both know no file, process, worker or addon unless told. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** How long the shell may take to kill. @units milliseconds */
const PATIENCE = 2_000;

/** Ends a launched process, or what is left of one that has ended by itself. */
export const endProcess = (child: ChildProcess): void => {
  child.stdio[3]?.destroy();
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const { pid } = child;
  const timer = setTimeout(() => process.kill(-pid, "SIGKILL"), PATIENCE);
  child.once("exit", () => clearTimeout(timer));
};

const launchBy =
  (ways: Ways): Launch =>
  (script, { heapMb, dataMb }) => {
    const node = [process.execPath, permission, `--max-old-space-size=${heapMb}`, "--no-warnings", "-"];
    const command = [...(ways.alone ? ["unshare", "--user", "--net", "--"] : []), ...node];
    const options: SpawnOptions = {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", TZ: "UTC" },
      // A session of its own: Ctrl-C in the host's terminal is not for it, and one signal can end all of it.
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
      ...ways.user,
    };
    const child = spawn("/bin/sh", ["-c", SHELL, "sh", String(dataMb * 1024), ...command], options);
    child.stdin?.on("error", () => undefined);
    // In a function, since the names of a script's top level are everybody's; not by a file, which it might not be able to read.
    child.stdin?.end(`(() => {${script}\n})()`);
    return child;
  };

const works = (launch: Launch): Promise<boolean> =>
  new Promise((resolve) => {
    const child = launch("process.exit(7)", { heapMb: 64, dataMb: 4096 });
    child.once("error", () => resolve(false));
    child.once("exit", (status) => resolve(status === 7));
    // Its channel ends with it.
    child.stdio[4]?.once("close", () => endProcess(child));
    for (const stream of [1, 2, 4]) (child.stdio[stream] as Readable).resume();
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
