import { compileFunction } from "node:vm";
import { memberOf, type DeclaredEvent } from "@parley/contract";
import type { Require } from "./modules.ts";

export type AppHandler = (args: unknown) => unknown;

interface LoadedCode {
  readonly handlers: ReadonlyMap<string, AppHandler>;
  /** As apps of platform-version 2.0 have it: `events: [{ event, callback }]` among the exports. */
  readonly events: DeclaredEvent[];
}

/** Shown in stack traces, from where the host finds the source's own lines. */
export const CODE_FILE = "server.js";

const functionsOf = (exported: unknown): (readonly [string, AppHandler])[] =>
  typeof exported !== "object" || exported === null
    ? []
    : Object.keys(exported)
        .map((name) => [name, memberOf(exported, name)] as const)
        .filter((entry): entry is [string, AppHandler] => typeof entry[1] === "function");

/** What one entry of `events` declares; a callback is named, or stands there itself. */
const declaredBy = (entry: unknown): { event: string; callback: string | AppHandler } | undefined => {
  const [event, callback] = [memberOf(entry, "event"), memberOf(entry, "callback")];
  if (typeof event !== "string" || event === "") return undefined;
  if (typeof callback === "string" && callback !== "") return { event, callback };
  return typeof callback === "function" ? { event, callback: callback as AppHandler } : undefined;
};

/**
 * Runs a CommonJS text and takes its functions: those of `module.exports` and those of its default export.
 * Compiled so, `import()` in it is refused.
 */
export const loadCode = (code: string, require: Require): LoadedCode => {
  const module: { exports: unknown } = { exports: {} };
  const run = compileFunction(code, ["module", "exports", "require", "__filename", "__dirname"], {
    filename: CODE_FILE,
  }) as (...given: unknown[]) => void;
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
