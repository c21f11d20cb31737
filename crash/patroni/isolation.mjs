/**
 * Namespaces of a run: its network, mounts and processes are its own. The kernel removes all of them when the first process of the run
 * has ended, also by SIGKILL, so that no program, interface or mount remains.
 */
import { spawn } from "node:child_process";

/** Set for the process that runs inside. */
const INSIDE = "CRASH_IS_ISOLATED";
/** The shell is the first process of the namespace: it collects processes that have lost their parent, which Node does not. */
const FIRST_PROCESS = 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip link set lo up && "$@"';

/** Whether this process has namespaces of its own. */
export const isIsolated = () => process.env[INSIDE] === "1";

/** Runs a script again in namespaces of its own. -> its exit status */
export const runIsolated = (script, args) => {
  const command = [process.execPath, script, ...args];
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"];
  const child = spawn("unshare", [...namespaces, "sh", "-c", FIRST_PROCESS, "sh", ...command], {
    stdio: "inherit",
    env: { ...process.env, [INSIDE]: "1" },
  });
  // The process inside receives Ctrl-C too, and ends after its report.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status) => resolve(status ?? 1));
  });
};
