/** Shared by the checks of the deployment: programs, temporary files, and the order in which everything is removed again. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "../installed.mjs";

/** Outside the tracked files. */
export const CACHE = join(root, "node_modules/.cache/deployment");

/** A check that found something wrong, with what to do next. */
export class DeploymentFailure extends Error {}

export const report = (line) => process.stderr.write(`${line}\n`);

/** Debian's package of each program that a check needs. */
const DEBIAN_PACKAGES = {
  buildah: "buildah",
  crun: "crun",
  "docker-compose": "docker-compose",
  haproxy: "haproxy",
  ip: "iproute2",
  kubectl: "kubernetes-client",
  mmdebstrap: "mmdebstrap",
  nsenter: "util-linux",
  openssl: "openssl",
  slirp4netns: "slirp4netns",
  "systemd-analyze": "systemd",
};
const isInstalled = (program) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

/** @errors DeploymentFailure unless the programs are installed and, for namespaces, the user is root */
export function requirePrograms(programs, { asRoot = true } = {}) {
  if (asRoot && (process.platform !== "linux" || process.getuid() !== 0))
    throw new DeploymentFailure("This check creates namespaces. Next: run it as root on Linux.");
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((program) => DEBIAN_PACKAGES[program]))].join(" ");
  throw new DeploymentFailure(
    `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} not installed. Next: apt-get install --no-install-recommends ${packages}`,
  );
}

/** Runs a program to its end. -> its standard output @errors DeploymentFailure with its output if it fails */
export function run(words, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(words[0], words.slice(1), {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    ...options,
  });
  if (status === 0) return stdout;
  throw new DeploymentFailure(`${words.join(" ")} failed:\n${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`);
}

/** Starts a program that runs until it is ended. -> the process and its output so far */
export function start(words, options = {}) {
  const child = spawn(words[0], words.slice(1), { stdio: ["ignore", "pipe", "pipe"], ...options });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes) => output.push(bytes));
  child.on("error", (error) => output.push(Buffer.from(error.message)));
  const ended = new Promise((resolve) => child.once("close", resolve));
  return { child, ended, output: () => Buffer.concat(output).toString() };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeats a question until its answer is not undefined. @errors DeploymentFailure after the time */
export async function until(what, question, { seconds = 60, details = () => "" } = {}) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(200)) {
    const answer = await question();
    if (answer !== undefined) return answer;
  }
  throw new DeploymentFailure(`${what} took more than ${seconds} s.\n${details()}`);
}

/** Steps that remove what a check made, last one first, also when it is interrupted. */
export function cleanUp() {
  const steps = [];
  const remove = () => {
    for (const step of steps.splice(0).reverse()) {
      try {
        step();
      } catch (error) {
        report(`deployment: ${error.message}`);
      }
    }
  };
  for (const [signal, status] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])
    process.once(signal, () => {
      remove();
      process.exit(status);
    });
  return { add: (step) => void steps.push(step), remove };
}

mkdirSync(CACHE, { recursive: true });
