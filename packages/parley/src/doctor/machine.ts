import { createServer } from "node:net";
import type { ParleyConfig } from "../environment/config.ts";
import { findInstance } from "../instance/instance.ts";
import { ok, warn, type CheckFinding, fail } from "./check.ts";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { findBoundary, boundaryShortcomings, type BoundaryName } from "@parley/framework/authoring";
import { realPorts } from "@parley/service/ports";

/** This package's package.json, seen from the bundle or from the source. */
const PACKAGE =
  ["../package.json", "../../package.json"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ?? "";

/** -> whether a version such as 22.4.1 is at least another one */
const isAtLeast = (version: string, minimum: string): boolean => {
  const [have, need] = [version, minimum].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const at = need.findIndex((part, index) => part !== have[index]);
  return at === -1 || (have[at] ?? 0) > (need[at] ?? 0);
};

export async function checkNodeVersion(): Promise<CheckFinding> {
  const { engines } = JSON.parse(await readFile(PACKAGE, "utf8")) as { readonly engines: { readonly node: string } };
  const minimum = engines.node.replace(/^>=/, "");
  const { node } = process.versions;
  return isAtLeast(node, minimum)
    ? ok(`Node ${node}`)
    : fail(`Node ${node} is too old: ${minimum} or later is needed.`, `Install Node ${minimum} or later.`);
}

const dayMs = 86_400_000;

/** A clock that is earlier than the installation of this package is wrong. */
export async function checkClock(): Promise<CheckFinding> {
  const [now, built] = [realPorts.now(), (await stat(PACKAGE)).mtime];
  if (now.getTime() + dayMs >= built.getTime()) return ok(`${now.toISOString()} (UTC)`);
  return fail(
    `The clock shows ${now.toISOString()}, which is earlier than the release of this program.`,
    "Set the machine's clock: keys and signatures depend on it.",
  );
}

const BOUNDARIES: Readonly<Record<BoundaryName, string>> = {
  bubblewrap: "namespaces of bubblewrap",
  namespaces: "namespaces and a system call filter",
  landlock: "Landlock and a system call filter",
  unshare: "namespaces of unshare",
  "sandbox-exec": "the sandbox of macOS",
  none: "nothing",
};

/** Reports how the operating system isolates the processes of apps. */
export async function checkHandlerProcess(): Promise<CheckFinding> {
  const boundary = await findBoundary();
  const lines = boundaryShortcomings(boundary).map((line) => line.replace(/^warn: /, ""));
  if (lines.length === 0) return ok(`The operating system isolates apps' code: ${BOUNDARIES[boundary.name]}.`);
  return warn(
    lines.join(" "),
    "Install bubblewrap, or allow unprivileged user namespaces; until then run only apps whose code you trust.",
  );
}

export async function checkTestBrowser(): Promise<CheckFinding> {
  const require = createRequire(import.meta.url);
  const found = ["playwright-core", "@sparticuz/chromium"].filter((name) => {
    try {
      return require.resolve(name) !== "";
    } catch {
      return false;
    }
  });
  return found.length === 2
    ? ok("A browser for page tests is installed.")
    : warn(
        "No browser for page tests is installed.",
        "Only these tests need one: run npm install with devDependencies.",
      );
}

/** -> undefined when the port is free, otherwise the error code of the system */
const portError = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });

/** Checks that a port can be opened or is already used by this instance. */
export const checkPort = async (config: ParleyConfig, number: number, variable: string): Promise<CheckFinding> => {
  if (number === 0) return ok("Any free port.");
  const problem = await portError(number);
  if (problem === undefined) return ok(`${number} is free.`);
  const own = await findInstance(config.dataFolder);
  if (own && [own.service, own.app].some((address) => new URL(address).port === String(number)))
    return ok(`${number} is used by the instance that runs here.`);
  return warn(
    `Port ${number} can't be opened (${problem}).`,
    `Stop the program that uses it, or set ${variable} to another port (0: any free port).`,
  );
};
