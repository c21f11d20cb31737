/** Module hooks of a process that runs tests. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transformSync } from "@swc/core";
import { FRESH } from "./modules.mjs";

const root = new URL("../../", import.meta.url).href;

let fresh = [];

/** @type {import("node:module").InitializeHook} */
export function initialize({ folders }) {
  fresh = folders;
}

/** Tells whether each test file loads its own instance of a module: the test file itself and its helpers, which hold state and hooks. */
const isOfFile = (url) => {
  if (!url.startsWith(root) || !url.endsWith(".ts")) return false;
  const path = url.slice(root.length);
  return /^(?:packages\/[^/]+\/)?test\//.test(path) || fresh.some((folder) => path.startsWith(folder));
};

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, next) {
  const file = new RegExp(`\\?${FRESH}=(\\d+)$`).exec(context.parentURL ?? "")?.[1];
  if (specifier === "@jest/globals")
    return { url: `${new URL("globals.mjs", import.meta.url)}?${FRESH}=${file}`, shortCircuit: true };
  const found = await next(specifier, context);
  return file && isOfFile(found.url) ? { ...found, url: `${found.url}?${FRESH}=${file}` } : found;
}

/** @type {Map<string, string>} compiled code by path; helpers are loaded repeatedly */
const made = new Map();

/** @type {import("node:module").LoadHook} */
export async function load(url, context, next) {
  const [place] = url.split("?");
  if (!place.endsWith(".ts")) return next(url, context);
  const filename = fileURLToPath(place);
  let source = made.get(filename);
  if (source === undefined) {
    source = transformSync(readFileSync(filename, "utf8"), {
      filename,
      jsc: { parser: { syntax: "typescript" }, target: "es2023" },
      module: { type: "es6" },
      sourceMaps: "inline",
    }).code;
    made.set(filename, source);
  }
  return { format: "module", source, shortCircuit: true };
}
