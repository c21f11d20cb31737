/**
 * Escapes through objects of Node that the app can't name: Node's own code passes them to code that the app can replace, or looks up their
 * members where the app can define some. As in `escapes.ts`, a returned value means that the escape succeeded.
 */
export type Escapes = readonly (readonly [title: string, body: string])[];

/** Sends requests and output to the host, so that the channel to the host is in use. */
export const TRAFFIC = `await $db.get("x").catch(() => 0); console.log("noise"); await new Promise((go) => setTimeout(go, 5));`;

/** Makes Node's own code use the real `process`: a warning, one of a crowded emitter, and a deprecation. */
const TRIGGERS = `host.emitWarning("noise"); const crowd = new (load("events"))(); for (let count = 0; count < 12; count += 1) crowd.on("x", () => 0);
   Buffer(1); await new Promise((go) => setTimeout(go, 20));`;

/** The members of an emitter that Node's own code calls. */
const EMITTER_METHODS = `["emit", "on", "once", "off", "addListener", "removeListener", "removeAllListeners", "listeners", "rawListeners", "listenerCount", "eventNames",
   "prependListener", "getMaxListeners", "setMaxListeners"]`;

/** Members that Node's own code reads from the real `process` and that may be absent there. */
const PROCESS_MEMBERS = `["domain", "_exiting", "noDeprecation", "throwDeprecation", "traceDeprecation", "traceProcessWarnings", "exitCode", "env", "_maxListeners",
   "_events", "binding", "channel", "connected", "report", "permission", "stdout", "stderr"]`;

/** Sets the keys under which contexts are stored at asynchronous resources, as they appear at a promise. In a turn of its own: it sets them at its resource. */
const CONTEXT_KEYS = `const storage = (globalThis.contexts ??= new (load("async_hooks").AsyncLocalStorage)());
   const keys = globalThis.contextKeys ??= await new Promise((go) => setTimeout(() => storage.run({}, () => go(Object.getOwnPropertySymbols(Promise.resolve()))), 1));
   let seen; const look = (resource) => { if (resource?.readStart ?? resource?.dispatch ?? resource?.reallyExit) seen ??= resource; };`;

/** Defines a trap for each context key at an owner while the body runs. */
const trappingContexts = (owner: string, body: string, keys = CONTEXT_KEYS) =>
  `${keys} const owner = ${owner};
   for (const key of keys) Object.defineProperty(owner, key, { configurable: true, get() { look(this); }, set(value) { look(this); Object.defineProperty(this, key, { configurable: true, writable: true, value }); } });
   try { ${body} } finally { for (const key of keys) delete owner[key]; } return seen.constructor.name;`;

/** The last prototype of Node's native objects. */
const NATIVE_PROTOTYPE = `(() => { let at = require("zlib").createGzip()._handle; for (let next = at; next && next !== Object.prototype; next = Object.getPrototypeOf(next)) at = next; return at; })()`;

/** Lets Node create an object of one of its internal classes, by the name that a cloned object gives, and takes it as it is created. */
const deserialized = (name: string, owner: string) =>
  `const events = load("events"); const [clone, deserialize] = ["messaging_clone_symbol", "messaging_deserialize_symbol"].map((name) =>
     Object.getOwnPropertySymbols(Blob.prototype).find(({ description }) => description === name));
   const blob = new Blob(["x"]); Object.defineProperty(blob, clone, { value: () => ({ data: {}, deserializeInfo: "${name}" }) });
   let seen; const owner = ${owner}; const { prototype } = events; const { _eventsCount } = Object.getOwnPropertyDescriptors(prototype);
   Object.defineProperty(prototype, "_eventsCount", { configurable: true, get() {}, set(value) { seen ??= this; Object.defineProperty(this, "_eventsCount", { configurable: true, writable: true, value }); } });
   try { Object.defineProperty(owner, deserialize, { configurable: true, value() {} }); structuredClone(blob); }
   finally { Object.defineProperty(prototype, "_eventsCount", _eventsCount); try { delete owner[deserialize]; } catch {} } return seen.constructor.name;`;

export const SHARED_OBJECT_ESCAPES: Escapes = [
  [
    "takes the real process by the methods of all emitters",
    `const { prototype } = load("events"); let seen; const before = Object.getOwnPropertyDescriptors(prototype);
     for (const name of ${EMITTER_METHODS}) prototype[name] = function (...all) { if (this?.reallyExit) seen = name; return before[name].value.apply(this, all); };
     try { ${TRIGGERS} } finally { Object.defineProperties(prototype, before); } return seen.length`,
  ],
  [
    "takes the real process by members that it lacks",
    `let seen; const names = ${PROCESS_MEMBERS}.filter((name) => !(name in Object.prototype));
     for (const name of names) Object.defineProperty(Object.prototype, name, { configurable: true, get() { if (this?.reallyExit) seen = name; },
       set(value) { if (this?.reallyExit) seen = name; Object.defineProperty(this, name, { configurable: true, writable: true, value }); } });
     try { ${TRIGGERS} } finally { for (const name of names) delete Object.prototype[name]; } return seen.length`,
  ],
  [
    "takes the native pipe by the key of a context, when an answer arrives",
    trappingContexts(
      "Object.prototype",
      `const then = { configurable: true, get() { storage.getStore(); } };
       Object.defineProperty(Object.prototype, "then", then); const answer = $db.get("x").catch(() => 0);
       await new Promise((go) => setTimeout(go, 20)); delete Object.prototype.then; await answer;`,
    ),
  ],
  [
    "takes the native pipe by the key of a context, when its handler begins",
    trappingContexts(
      "Object.prototype",
      "storage.getStore(); storage.run(1, () => 0);",
      CONTEXT_KEYS.replace(/\?\?= await .*/, "?? [];"),
    ),
  ],
  [
    "takes the native pipe by the key of a context, when it creates something asynchronous",
    trappingContexts("Object.prototype", `void Promise.resolve(); setTimeout(() => 0, 1); ${TRAFFIC}`),
  ],
  [
    "takes the native pipe by the key of a context at the prototype of native objects",
    trappingContexts(NATIVE_PROTOTYPE, `storage.getStore(); ${TRAFFIC}`),
  ],
  [
    "takes what Node keeps in lists by an index of all lists",
    `let seen; const look = (one) => { if (one?.readStart ?? one?.dispatch ?? one?.reallyExit) seen ??= one; };
     const storage = new (load("async_hooks").AsyncLocalStorage)();
     for (let index = 0; index < 4; index += 1) Object.defineProperty(Array.prototype, index, { configurable: true, get() { look(this); },
       set(value) { look(value); Object.defineProperty(this, index, { configurable: true, enumerable: true, writable: true, value }); } });
     try { storage.run(1, () => 0); ${TRAFFIC} } finally { for (let index = 0; index < 4; index += 1) delete Array.prototype[index]; } return seen.constructor.name`,
  ],
  ...[
    "net:Socket",
    "net:Server",
    "child_process:ChildProcess",
    "inspector:Session",
    "fs:ReadStream",
    "internal/worker:Worker",
  ].flatMap((name) =>
    [
      "Object.prototype",
      "events.prototype",
      `load("stream").Duplex.prototype`,
      `load("stream").Readable.prototype`,
    ].map((owner) => [`takes a ${name} from a clone, by ${owner}`, deserialized(name, owner)] as const),
  ),
  [
    "reads a file by the stream of a file handle from a clone",
    `const [clone] = Object.getOwnPropertySymbols(Blob.prototype).filter(({ description }) => description === "messaging_clone_symbol");
     const blob = new Blob(["x"]); Object.defineProperty(blob, clone, { value: () => ({ data: { handle: { fd: 4, close() {} } }, deserializeInfo: "internal/fs/promises:FileHandle" }) });
     const plain = new Blob(["x"]); Object.defineProperty(plain, clone, { value: () => ({ data: { handle: { fd: 4 } }, deserializeInfo: "internal/fs/promises:FileHandle" }) });
     let file; for (const each of [blob, plain]) try { file ??= structuredClone(each); } catch {}
     const { constructor: Stream } = file.createReadStream({ autoClose: false });
     return await new Promise((yes, no) => new Stream("/etc/passwd").on("error", no).on("data", yes));`,
  ],
  [
    "writes to a descriptor by a file handle from a clone",
    `const [clone] = Object.getOwnPropertySymbols(Blob.prototype).filter(({ description }) => description === "messaging_clone_symbol");
     const blob = new Blob(["x"]); Object.defineProperty(blob, clone, { value: () => ({ data: { handle: { fd: 2 } }, deserializeInfo: "internal/fs/promises:FileHandle" }) });
     return (await structuredClone(blob).write("x")).bytesWritten;`,
  ],
  [
    "takes each emitter as it is created",
    `const events = load("events"); const { init } = events; let seen;
     try { events.init = function (...all) { seen = this; return init.apply(this, all); }; new events(); if (events.init === init) throw new Error("fixed"); } finally { try { events.init = init; } catch {} } return seen.constructor.name`,
  ],
];
