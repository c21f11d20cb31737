import { EventEmitter } from "node:events";
import { Duplex, Readable, Stream, Transform, Writable } from "node:stream";

/** Captured before the app's code runs: later changes of these functions have no effect here. */
const { getPrototypeOf, setPrototypeOf, defineProperty, getOwnPropertyDescriptor } = Object;
const { ownKeys } = Reflect;

const refusalError = (what: string, code = "ERR_SANDBOX"): Error =>
  Object.assign(new Error(`${what} is not allowed in a serverless app; use $request`), { code });

/** How a function of a module refuses. `later`: by its callback, as `fs` and `dns` report errors. */
export type RefusalStyle = "throws" | "later" | "rejects";

/** Classes from which Node's streams and servers inherit, and which apps may use. */
const PUBLIC_PROTOTYPES: readonly unknown[] = [Transform, Duplex, Readable, Writable, Stream, EventEmitter].map(
  (one) => one.prototype,
);

const publicPrototypeOf = (real: object | null): object | null => {
  if (real === null) return Object.prototype;
  return PUBLIC_PROTOTYPES.includes(real) ? real : publicPrototypeOf(getPrototypeOf(real) as object | null);
};

/** Creates a function that only refuses. A class inherits from the base of the real class, so that other classes can extend it. */
export const refusingFunction = (
  what: string,
  how: RefusalStyle = "throws",
  real?: unknown,
  code?: string,
): ((...args: unknown[]) => unknown) => {
  const refused = function refused(...args: unknown[]): unknown {
    const error = refusalError(what, code);
    if (new.target) throw error;
    const callback = args[args.length - 1];
    if (how === "later" && typeof callback === "function") {
      queueMicrotask(() => void (callback as (error: Error) => void)(error));
      return undefined;
    }
    if (how === "rejects") return Promise.reject(error);
    throw error;
  };
  const prototype = typeof real === "function" ? (real.prototype as object | undefined) : undefined;
  if (prototype)
    setPrototypeOf(refused.prototype as object, publicPrototypeOf(getPrototypeOf(prototype) as object | null));
  return refused;
};

/** Replaces a member permanently by a fixed value. @errors TypeError if that is impossible: no process is better than an open process */
export const replaceMember = (owner: object, name: PropertyKey, value: unknown) => {
  const isFixed = getOwnPropertyDescriptor(owner, name)?.configurable === false;
  const hidden = isFixed ? {} : { configurable: false, enumerable: false };
  defineProperty(owner, name, { value, writable: false, ...hidden });
};

/** Whether a value contains only data: texts, numbers, and lists and objects of them. */
const isPlainData = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return typeof value !== "function";
  const prototype: unknown = getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && !Array.isArray(value)) return false;
  return Object.values(value).every(isPlainData);
};

const copyOf = (data: unknown): unknown => {
  if (Array.isArray(data)) return data.map(copyOf);
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, copyOf(value)]));
};

export interface ModuleStandIn {
  /** Subject of the sentence that refuses. */
  readonly what: string;
  readonly how?: RefusalStyle;
  readonly code?: string;
  /** Members that replace those of the module. */
  readonly own?: Readonly<Record<string, unknown>>;
}

/** Creates a replacement with the members of a real module: constants are copied; functions and classes refuse. */
export const createModuleStandIn = (
  real: object,
  { what, how = "throws", code, own = {} }: ModuleStandIn,
): Record<string, unknown> => {
  const members: Record<string, unknown> = {};
  for (const name of ownKeys(real)) {
    const member = getOwnPropertyDescriptor(real, name);
    // A getter may have effects, so it is not called.
    if (typeof name !== "string" || !member || !("value" in member)) continue;
    if (typeof member.value === "function") members[name] = refusingFunction(what, how, member.value, code);
    else if (isPlainData(member.value)) members[name] = copyOf(member.value);
  }
  const module = { ...members, ...own };
  return { ...module, default: module };
};
