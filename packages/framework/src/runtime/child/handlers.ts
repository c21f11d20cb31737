import { compileFunction } from "node:vm";
import { memberOf, type DeclaredEvent } from "@parley/contract";
import type { Require } from "./modules.ts";

export type AppHandler = (args: unknown) => unknown;

interface LoadedCode {
  readonly handlers: ReadonlyMap<string, AppHandler>;
  /** Events that an app of platform-version 2.0 declares: `events: [{ event, callback }]` among its exports. */
  readonly events: DeclaredEvent[];
}

/** File name in stack traces, which the host translates into the source's own positions. */
export const CODE_FILE = "server.js";

const functionsOf = (exported: unknown): (readonly [string, AppHandler])[] =>
  typeof exported !== "object" || exported === null
    ? []
    : Object.keys(exported)
        .map((name) => [name, memberOf(exported, name)] as const)
        .filter((entry): entry is [string, AppHandler] => typeof entry[1] === "function");

/** Reads one entry of `events`; its callback is a function or the name of one. */
const declaredBy = (entry: unknown): { event: string; callback: string | AppHandler } | undefined => {
  const [event, callback] = [memberOf(entry, "event"), memberOf(entry, "callback")];
  if (typeof event !== "string" || event === "") return undefined;
  if (typeof callback === "string" && callback !== "") return { event, callback };
  return typeof callback === "function" ? { event, callback: callback as AppHandler } : undefined;
};

/**
 * Runs a CommonJS text and returns its functions: those of `module.exports` and those of its default export.
 * Because of the way it is compiled, `import()` in it is rejected.
 */
export const loadCode = (code: string, require: Require): LoadedCode => {
  const module: { exports: unknown } = { exports: {} };
  const run = compileFunction(code, ["module", "exports", "require", "__filename", "__dirname"], {
    filename: CODE_FILE,
  }) as (...args: unknown[]) => void;
  run(module, module.exports, require, `/server/${CODE_FILE}`, "/server");
  const exported = module.exports;
  const byDefault = memberOf(exported, "default");
  const handlers = new Map([...functionsOf(exported), ...functionsOf(byDefault)]);
  const events: DeclaredEvent[] = [];
  for (const entry of [memberOf(exported, "events"), memberOf(byDefault, "events")].flat()) {
    const declared = declaredBy(entry);
    if (!declared) continue;
    const { event, callback } = declared;
    if (typeof callback === "function") handlers.set(event, callback);
    events.push({ event, callback: typeof callback === "function" ? event : callback });
  }
  return { handlers, events };
};
