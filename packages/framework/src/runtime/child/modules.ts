import { webcrypto } from "node:crypto";
import Module from "node:module";
import { machineModules } from "./machine-modules.ts";

/** Node's own modules that compute and reach nothing. */
const COMPUTING =
  "assert buffer constants diagnostics_channel events path path/posix punycode querystring stream stream/promises stream/web " +
  "string_decoder timers timers/promises url util util/types zlib";

export type Require = (name: unknown) => unknown;

interface Internals {
  _load(request: string, parent: unknown, isMain: boolean): unknown;
}

/**
 * The app's `require`: a table without a prototype, filled before the app's code runs. Nothing is loaded later, whatever the app changes
 * in its realm.
 */
export const appRequire = (appProcess: object): Require => {
  const load = (Module as unknown as Internals)._load.bind(Module);
  const table = Object.create(null) as Record<string, unknown>;
  const put = (name: string, module: unknown) => {
    table[name] = module;
    table[`node:${name}`] = module;
  };
  for (const name of COMPUTING.split(" ")) put(name, load(name, null, false));
  for (const [name, module] of Object.entries(machineModules())) put(name, module);
  put("process", appProcess);
  return (name) => {
    const module = typeof name === "string" ? table[name] : undefined;
    if (module === undefined) throw new Error(`Cannot use module '${String(name)}' in a serverless app`);
    return module;
  };
};

/** Globals that bear the name of a module everywhere, not only in a program that is read from standard input. */
const GLOBALS = ["process", "console", "crypto"];
/** Ways to the network that are no module. */
const NETWORK_GLOBALS = ["fetch", "WebSocket", "EventSource"];

/** Takes back what such a program has as globals, all of Node's modules and a `require` among them, and the ways to the network. */
export const removeGlobals = () => {
  Object.defineProperty(globalThis, "crypto", { value: webcrypto, configurable: true, writable: true });
  const names = Module.builtinModules.filter((name) => !GLOBALS.includes(name));
  const others = ["require", "module", "exports", "__filename", "__dirname", ...NETWORK_GLOBALS];
  for (const name of [...names, ...others]) Reflect.deleteProperty(globalThis, name);
  // Node puts this one back when the program's first turn is over.
  Object.defineProperty(globalThis, "module", { get: () => undefined, set: () => undefined });
};
