/** Runs the command `parley` in a separate process. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const guard = fileURLToPath(new URL("serve-until-parent-ends.mjs", import.meta.url));

/** The command of this repository, until `useInstallation` replaces it. */
let bin = fileURLToPath(new URL("../../packages/parley/bin/parley.mjs", import.meta.url));

/** Takes the command that is installed in a folder. @errors Error if it is not */
export const useInstallation = (folder) => {
  const installed = resolve(folder, "node_modules/@parley/parley/packages/parley/bin/parley.mjs");
  if (!existsSync(installed))
    throw new Error(`@parley/parley is not installed in ${folder}. Next, there: npm install <file of the package>.`);
  bin = installed;
};

/** Runs a command to its end. Returns its status and output. */
export const parley = (args, { cwd, env }) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (output[name] += chunk));
    child.once("close", (status) => resolve({ status, ...output }));
  });

/**
 * Starts `parley serve`, which ends with this process at the latest. Returns its line of JSON, its standard error, and `stop`.
 * @shape onStart: receives `stop` as soon as there is something to stop @errors Error if the command ends
 */
export const startServe = async (args, { cwd, env, onStart }) => {
  const child = spawn(process.execPath, [guard, process.execPath, bin, "serve", "--json", ...args], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  onStart(stop);
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  const line = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
    ended.then((status) => reject(new Error(`parley serve ended with ${status}: ${output}${text}`)));
  });
  return { ...JSON.parse(line), stop, output: () => output };
};

/** Polls until `probe` returns a truthy value, and returns it. @errors Error */
export const until = async (what, probe, ms = 15_000) => {
  const end = performance.now() + ms;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (performance.now() > end) throw new Error(`${what}: not seen within ${ms / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
