import { webcrypto } from "node:crypto";
import Module from "node:module";
import type { HostConnection } from "./client-request.ts";
import { MACHINE_MODULES, type LoadModule } from "./machine-modules.ts";

import { refusingFunction, replaceMember } from "./refusal.ts";

/** Node's own modules that compute and reach nothing. */
const COMPUTING = (
  "assert buffer constants diagnostics_channel events path path/posix punycode querystring stream stream/promises stream/web " +
  "string_decoder timers timers/promises url util util/types zlib"
).split(" ");

export type Require = (name: unknown) => unknown;

interface Internals {
  _load(request: string, parent: unknown, isMain: boolean): unknown;
}

/** A name that is made when the code runs: whichever module it will be. */
const COMPUTED_NAME = /\brequire\s*\(\s*(?!(?:"[^"\\\n]*"|'[^'\\\n]*'|`[^`\\$]*`)\s*\))/;

/** -> whether an app's code may ask for a module, as its text has it */
const mentionedIn = (code: string): ((name: string) => boolean) =>
  COMPUTED_NAME.test(code)
    ? () => true
    : (name) =>
        ["", "node:"].some((prefix) => [`"`, `'`, "`"].some((quote) => code.includes(quote + prefix + name + quote)));

/**
 * Makes the `require` for an app's code: a table without a prototype, filled with the modules that the code names before it runs. Nothing is
 * loaded later, whatever the app changes in its realm. Loading all of them would take a third of the time in which a process starts.
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

/** Globals that bear the name of a module everywhere, not only in a program that is read from standard input. */
const GLOBALS = ["process", "console", "crypto"];
/** Where the fetch of Node looks for the agent that opens its connections, and keeps its own where it finds none. */
const FETCH_AGENTS = ["undici.globalDispatcher.1", "undici.globalDispatcher.2"];
/** Ways to the network that are no module. */
const NETWORK_GLOBALS = ["fetch", "WebSocket", "EventSource"];

/** Takes back what such a program has as globals, all of Node's modules and a `require` among them, and the ways to the network. */
export const removeGlobals = () => {
  // Before anything makes one: an app could take it from there.
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
  // Node puts this one back when the program's first turn is over.
  Object.defineProperty(globalThis, "module", { get: () => undefined, set: () => undefined });
};
