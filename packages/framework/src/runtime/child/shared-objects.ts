import { AsyncResource } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { Duplex, PassThrough, Readable, Stream, Transform, Writable } from "node:stream";
import { replaceMember } from "./refusal.ts";

/** Captured before the app's code runs: later changes of these functions have no effect here. */
const { defineProperty, freeze, getOwnPropertySymbols, getPrototypeOf, setPrototypeOf } = Object;
const { deleteProperty, ownKeys } = Reflect;

/** Members of the real `process` that Node's own code uses while a program runs. They compute, report, or end this process. */
const KEPT_MEMBERS: ReadonlySet<PropertyKey> = new Set(
  (
    "_events _eventsCount _exiting _fatalException _maxListeners _rawDebug _tickCallback arch argv argv0 config cpuUsage cwd domain emitWarning env " +
    "execArgv execPath exit exitCode features hasUncaughtExceptionCaptureCallback hrtime memoryUsage nextTick noProcessWarnings permission pid platform " +
    "reallyExit release sourceMapsEnabled title uptime version versions"
  ).split(" "),
);

/** Stands for the standard streams of the real `process`: Node's own code asks only whether they are terminals. */
const NO_STREAM = freeze({ __proto__: null, isTTY: false });

/**
 * Restricts the real `process`, which Node's own code calls methods of: a method of a prototype that the app shares would receive it as `this`.
 * Its methods become its own and fixed, it inherits from nothing, and every member that reaches the machine is removed.
 */
export const restrictRealProcess = (): void => {
  const real = process;
  for (const name of ownKeys(real)) if (typeof name === "string" && !KEPT_MEMBERS.has(name)) deleteProperty(real, name);
  for (const name of ["stdin", "stdout", "stderr"]) replaceMember(real, name, NO_STREAM);
  for (const name of ownKeys(EventEmitter.prototype)) {
    const method: unknown = Reflect.get(EventEmitter.prototype, name);
    if (typeof method === "function" && name !== "constructor") replaceMember(real, name, method);
  }
  setPrototypeOf(real, null);
  // Called with each new emitter as `this`, also with those that Node creates.
  replaceMember(EventEmitter, "init", Reflect.get(EventEmitter, "init"));
};

/** Members of prototypes that other native objects share, such as those of `zlib`, and that open nothing. */
const COMMON_MEMBERS = ["getAsyncId", "hasRef"];

/**
 * Makes the native handle of the channel useless to an app that obtains it: Node passes the handle to setters of `Array.prototype` and reads keys of
 * contexts from it. Its socket and all methods are removed, and its prototypes are fixed and end before `Object.prototype`. Data still arrives.
 */
export const disarmHandle = (handle: object): void => {
  for (const name of ownKeys(handle)) deleteProperty(handle, name);
  for (let at = getPrototypeOf(handle) as object; ;) {
    const next = getPrototypeOf(at) as object | null;
    if (!COMMON_MEMBERS.some((name) => Object.hasOwn(at, name)))
      for (const name of ownKeys(at)) deleteProperty(at, name);
    const isLast = next === null || next === Object.prototype;
    if (isLast) setPrototypeOf(at, null);
    freeze(at);
    if (isLast) return;
    at = next;
  }
};

/** Prototypes that the app shares with classes of Node. */
const SHARED_PROTOTYPES: readonly object[] = [
  ...[Object, Function, Array, Error, Map, Set, WeakMap, WeakSet, Promise, ArrayBuffer, Uint8Array],
  ...[EventTarget, Event, EventEmitter, AsyncResource, Stream, Readable, Writable, Duplex, Transform, PassThrough],
].map(({ prototype }) => prototype as object);

/** A class of Node that is made for clones, and whose objects read and write the descriptor that a clone names. */
const DESCRIPTOR_CLASS = "internal/fs/promises:FileHandle";

const symbolOfClones = (name: string): symbol => {
  const symbol = getOwnPropertySymbols(Blob.prototype).find(({ description }) => description === name);
  if (!symbol) throw new TypeError("This version of Node clones objects in an unknown way");
  return symbol;
};

/**
 * `structuredClone` and message channels create an object of the class that a cloned object names, of any module of Node, if its prototype has a
 * method under a certain symbol. The app could add that method to a prototype that all classes inherit from, such as that of `net.Socket`, or name
 * the class of file handles.
 * @errors TypeError if this version of Node has no such symbol: no process is better than an open process
 */
export const lockDeserialization = (): void => {
  const method = symbolOfClones("messaging_deserialize_symbol");
  const named = { data: { handle: { fd: -1 } }, deserializeInfo: DESCRIPTOR_CLASS };
  const blob = defineProperty(new Blob([]), symbolOfClones("messaging_clone_symbol"), { value: () => named });
  replaceMember(getPrototypeOf(structuredClone(blob)) as object, method, undefined);
  for (const prototype of SHARED_PROTOTYPES)
    defineProperty(prototype, method, {
      get: () => undefined,
      // Node's own classes assign the method to their prototypes.
      set(this: object, value: unknown) {
        defineProperty(this, method, { value, configurable: true, enumerable: true, writable: true });
      },
    });
};
