import { compileFunction } from "node:vm";
import { memberOf, type DeclaredEvent } from "@parley/contract";
import { webcrypto } from "node:crypto";
import Module from "node:module";
import type { HostConnection } from "./client-request.ts";
import { MACHINE_MODULES, type LoadModule } from "./machine-modules.ts";
import { refusingFunction, replaceMember } from "./refusal.ts";

/** Node's own modules that compute and access nothing of the machine. */
const COMPUTING = (
  "assert buffer constants diagnostics_channel events path path/posix punycode querystring stream stream/promises stream/web " +
  "string_decoder timers timers/promises url util util/types zlib"
).split(" ");

type Require = (name: unknown) => unknown;

interface Internals {
  _load(request: string, parent: unknown, isMain: boolean): unknown;
}

/** A module name that is computed at run time. */
const COMPUTED_NAME = /\brequire\s*\(\s*(?!(?:"[^"\\\n]*"|'[^'\\\n]*'|`[^`\\$]*`)\s*\))/;

/** -> whether an app's code may require a module, judged by its text */
const mentionedIn = (code: string): ((name: string) => boolean) =>
  COMPUTED_NAME.test(code)
    ? () => true
    : (name) =>
        ["", "node:"].some((prefix) => [`"`, `'`, "`"].some((quote) => code.includes(quote + prefix + name + quote)));

/**
 * Creates the `require` for an app's code: a table without a prototype, filled before the code runs with the modules that it names. Nothing is
 * loaded later, whatever the app changes in its realm. Loading all modules would take a third of the start time of a process.
 */
export const appModules = (appProcess: object, line: HostConnection): ((code: string) => Require) => {
  const load = (Module as unknown as Internals)._load.bind(Module);
  const realOf = ((name: string) => load(name, null, false)) as LoadModule;
  return (code) => {
    const table = Object.create(null) as Record<string, unknown>;
    const put = (name: string, module: unknown) => {
      table[name] = module;
      table[`node:${name}`] = module;
    };
    const isMentioned = mentionedIn(code);
    for (const name of COMPUTING) if (isMentioned(name)) put(name, load(name, null, false));
    for (const [name, make] of Object.entries(MACHINE_MODULES)) if (isMentioned(name)) put(name, make(realOf, line));
    put("process", appProcess);
    return (name) => {
      const module = typeof name === "string" ? table[name] : undefined;
      if (module === undefined) throw new Error(`Cannot use module '${String(name)}' in a serverless app`);
      return module;
    };
  };
};

/** Globals that have the name of a module in every program, not only in one that is read from standard input. */
const GLOBALS = ["process", "console", "crypto"];
/** Global symbols under which Node's fetch looks for the agent that opens its connections, and stores its own agent if none is set. */
const FETCH_AGENTS = ["undici.globalDispatcher.1", "undici.globalDispatcher.2"];
/** Globals that access the network. */
const NETWORK_GLOBALS = ["fetch", "WebSocket", "EventSource"];

/**
 * Removes the globals of a program that is read from standard input, among them all of Node's modules and a `require`, and the globals that access
 * the network.
 */
export const removeGlobals = () => {
  // Set before an agent is created, which an app could take from there.
  for (const name of FETCH_AGENTS)
    replaceMember(
      globalThis,
      Symbol.for(name),
      Object.freeze({ dispatch: refusingFunction("A direct network connection") }),
    );
  Object.defineProperty(globalThis, "crypto", { value: webcrypto, configurable: true, writable: true });
  const names = Module.builtinModules.filter((name) => !GLOBALS.includes(name));
  const others = ["require", "module", "exports", "__filename", "__dirname", ...NETWORK_GLOBALS];
  for (const name of [...names, ...others]) Reflect.deleteProperty(globalThis, name);
  // Node restores this global after the program's first turn.
  Object.defineProperty(globalThis, "module", { get: () => undefined, set: () => undefined });
};

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

/** Reads one entry of `events`; its callback is a function or the name of a function. */
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
