import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { findBoundary, shortcomingsOf, type BoundaryName } from "@parley/framework/authoring";
import { realPorts } from "@parley/service/ports";
import { fail, ok, warn, type Finding } from "./check.ts";

/** Of this package: beside the bundle's folder, or two above the source. */
const PACKAGE =
  ["../package.json", "../../package.json"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ?? "";

/** -> whether a version such as 22.4.1 is at least the other */
const isAtLeast = (version: string, least: string): boolean => {
  const [have, need] = [version, least].map((text) => text.split(".").map(Number)) as [number[], number[]];
  const at = need.findIndex((part, index) => part !== have[index]);
  return at === -1 || (have[at] ?? 0) > (need[at] ?? 0);
};

export async function nodeVersion(): Promise<Finding> {
  const { engines } = JSON.parse(await readFile(PACKAGE, "utf8")) as { readonly engines: { readonly node: string } };
  const least = engines.node.replace(/^>=/, "");
  const { node } = process.versions;
  return isAtLeast(node, least)
    ? ok(`Node ${node}`)
    : fail(`Node ${node} is too old: ${least} or later is needed.`, `Install Node ${least} or later.`);
}

const DAY = 86_400_000;

/** Nothing can be older than the program that says so. */
export async function clock(): Promise<Finding> {
  const [now, built] = [realPorts.now(), (await stat(PACKAGE)).mtime];
  if (now.getTime() + DAY >= built.getTime()) return ok(`${now.toISOString()} (UTC)`);
  return fail(
    `The clock says ${now.toISOString()}, which is before this program was made.`,
    "Set the machine's clock: keys and signatures depend on it.",
  );
}

const BOUNDARIES: Readonly<Record<BoundaryName, string>> = {
  bubblewrap: "namespaces made by bubblewrap",
  namespaces: "namespaces and a filter of system calls",
  landlock: "Landlock and a filter of system calls",
  unshare: "namespaces made by unshare",
  "sandbox-exec": "the sandbox of macOS",
  none: "nothing",
};

/** Handlers run as safely as the machine allows. */
export async function handlerProcess(): Promise<Finding> {
  const boundary = await findBoundary();
  const lines = shortcomingsOf(boundary).map((line) => line.replace(/^warn: /, ""));
  if (lines.length === 0) return ok(`The operating system isolates apps' code: ${BOUNDARIES[boundary.name]}.`);
  return warn(
    lines.join(" "),
    "Install bubblewrap, or allow unprivileged user namespaces; until then run only apps whose code you trust.",
  );
}

export async function testBrowser(): Promise<Finding> {
  const require = createRequire(import.meta.url);
  const found = ["playwright-core", "@sparticuz/chromium"].filter((name) => {
    try {
      return require.resolve(name) !== "";
    } catch {
      return false;
    }
  });
  return found.length === 2
    ? ok("A browser for tests of pages is installed.")
    : warn(
        "No browser for tests of pages is installed.",
        "Only these tests need one: npm install with its devDependencies.",
      );
}
