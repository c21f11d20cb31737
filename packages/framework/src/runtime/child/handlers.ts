import { compileFunction } from "node:vm";
import type { Require } from "./modules.ts";

export type Handler = (args: unknown) => unknown;

/** Shown in stack traces, from where the host finds the source's own lines. */
const FILE = "server.js";

const functionsOf = (exported: unknown): (readonly [string, Handler])[] =>
  typeof exported !== "object" || exported === null
    ? []
    : Object.keys(exported)
        .map((name) => [name, Reflect.get(exported, name) as unknown] as const)
        .filter((entry): entry is [string, Handler] => typeof entry[1] === "function");

/**
 * Runs a CommonJS text and takes its functions: those of `module.exports` and those of its default export.
 * Compiled so, `import()` in it is refused.
 */
export const loadHandlers = (code: string, require: Require): ReadonlyMap<string, Handler> => {
  const module: { exports: unknown } = { exports: {} };
  const run = compileFunction(code, ["module", "exports", "require"], { filename: FILE }) as (
    ...given: unknown[]
  ) => void;
  run(module, module.exports, require);
  const exported = module.exports;
  const byDefault: unknown =
    typeof exported === "object" && exported !== null ? Reflect.get(exported, "default") : undefined;
  return new Map([...functionsOf(exported), ...functionsOf(byDefault)]);
};
