import { webcrypto } from "node:crypto";
import Module from "node:module";
import { replace } from "./refusal.ts";

/** Node's own modules that a package may load; what they could do to the machine is closed one by one, or by the permission model. */
const ALLOWED = new Set([
  ..."assert async_hooks buffer constants crypto diagnostics_channel dgram dns dns/promises events fs fs/promises".split(
    " ",
  ),
  ..."http http2 https net os path path/posix perf_hooks punycode querystring stream stream/promises stream/web".split(
    " ",
  ),
  ..."string_decoder timers timers/promises tls tty url util util/types zlib".split(" "),
]);

export type Require = (name: string) => unknown;

interface Internals {
  _load(request: string, parent: unknown, isMain: boolean): unknown;
  readonly prototype: object;
}

/** The app's `require`: a list of allowed modules, whichever way it is called. */
export const closeModules = (): Require => {
  const internals = Module as unknown as Internals;
  const load = internals._load.bind(Module);
  const require: Require = (name) => {
    const bare = String(name).replace(/^node:/, "");
    if (!ALLOWED.has(bare)) throw new Error(`Cannot use module '${name}' in a serverless app`);
    return load(bare, null, false);
  };
  // Loaded before the doors close: some of them look at the process while they load.
  for (const name of ALLOWED) require(name);
  replace(Module, "_load", require);
  replace(internals.prototype, "require", require);
  replace(Module, "createRequire", () => require);
  for (const name of ["register", "registerHooks", "runMain", "enableCompileCache", "syncBuiltinESMExports"])
    replace(Module, name, undefined);
  return require;
};

/** Globals that bear the name of a module everywhere, not only under `node -e`. */
const GLOBALS = ["process", "console", "crypto"];

/** Takes back what `node -e` makes global: all of Node's modules, and a `require` of its own. */
export const removeEvalGlobals = () => {
  Object.defineProperty(globalThis, "crypto", { value: webcrypto, configurable: true, writable: true });
  const names = Module.builtinModules.filter((name) => !GLOBALS.includes(name));
  for (const name of [...names, "require", "module", "exports", "__filename", "__dirname"])
    Reflect.deleteProperty(globalThis, name);
  // Node puts this one back when the program's first turn is over.
  Object.defineProperty(globalThis, "module", { get: () => undefined, set: () => undefined });
};
