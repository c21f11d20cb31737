import { SHARED_OBJECT_ESCAPES, TRAFFIC, type Escapes } from "./shared-object-escapes.ts";

/**
 * Escapes that an app tries from within its own process, through objects that it shares with the program that runs it: native handles,
 * Node's own objects, other modules. Each text is the body of an async function with two parameters: `load` tries every way to load a
 * module, and `host` is any `process` that can be reached. A returned value means that the escape succeeded.
 */

/** Changes one member of a shared object and restores it afterwards. */
const changed = (owner: string, member: string, replacement: string, body: string) =>
  `const owner = ${owner}; const before = Object.getOwnPropertyDescriptor(owner, "${member}");
   Object.defineProperty(owner, "${member}", { configurable: true, writable: true, value: ${replacement} });
   try { ${body} } finally { if (before) Object.defineProperty(owner, "${member}", before); else delete owner.${member}; }`;

const watching = (owner: string, member: string) =>
  changed(
    owner,
    member,
    `function (...all) { if (this?._handle ?? this?.handle) seen = (this._handle ?? this.handle).constructor.name; return before.value.apply(this, all); }`,
    `let seen; ${TRAFFIC} if (!seen) throw new Error("nothing seen"); return seen;`,
  )
    .replace("const owner", "let seen; const owner")
    .replace("let seen; await", "await");

const listed = (names: readonly string[], title: string, body: (name: string) => string): Escapes =>
  names.map((name) => [`${title} ${JSON.stringify(name)}`, body(name)] as const);

export const ESCAPES: Escapes = [
  ...SHARED_OBJECT_ESCAPES,
  [
    "takes the native pipe of a secure socket",
    `return new (load("tls").TLSSocket)(null, { pipe: true })._handle._parent.constructor.name`,
  ],
  [
    "takes requests from async_hooks",
    `let seen; const hook = load("async_hooks").createHook({ init(id, type, trigger, resource) { seen ??= resource?.handle ?? resource?.req; } }).enable();
    ${TRAFFIC} hook.disable(); return seen.constructor.name`,
  ],
  [
    "takes the executing async resource",
    `const resource = load("async_hooks").executionAsyncResource(); if (Reflect.ownKeys(resource).length === 0) throw new Error("none"); return resource`,
  ],
  [
    "takes resources by a context's own method",
    `const { AsyncLocalStorage } = load("async_hooks"); let seen; AsyncLocalStorage.prototype._propagate = function (resource) { seen = resource; };
    await new AsyncLocalStorage().run(1, async () => { ${TRAFFIC} }); return seen.constructor.name`,
  ],
  ...listed(["_handle", "fd", "_destroy", "_type"], "takes of standard output", (name) => {
    const reach = `host.stdout["${name}"]`;
    return name === "_destroy"
      ? `return host.stdout._handle.constructor.name`
      : `if (${reach} === undefined) throw new Error("none"); return ${reach}`;
  }),
  ["takes the handle of standard input", `return host.stdin._handle.constructor.name`],
  ["takes the streams of the console", `return (console._stdout._handle ?? console._stderr._handle).constructor.name`],
  ...(["emit", "on", "once", "removeListener"] as const).map(
    (member) =>
      [
        `watches whom EventEmitter.prototype.${member} is called for`,
        watching(`load("events").prototype`, member),
      ] as const,
  ),
  ...(["push", "read", "resume", "pause", "on"] as const).map(
    (member) =>
      [
        `watches whom Readable.prototype.${member} is called for`,
        watching(`load("stream").Readable.prototype`, member),
      ] as const,
  ),
  ...(["write", "end", "cork", "destroy"] as const).map(
    (member) =>
      [
        `watches whom Writable.prototype.${member} is called for`,
        watching(`load("stream").Writable.prototype`, member),
      ] as const,
  ),
  ...listed(
    ["handle", "oncomplete", "callback", "buffer", "async", "bytes", "onread"],
    "sets a trap for a member that native requests get:",
    (name) =>
      `let seen; Object.defineProperty(Object.prototype, "${name}", { configurable: true, set(value) { seen ??= this.handle ?? this._handle ?? ("${name}" === "handle" ? value : undefined); } });
    try { ${TRAFFIC} } finally { delete Object.prototype["${name}"]; } return seen.constructor.name`,
  ),
  [
    "reads the callers of its own code",
    `let seen; const before = Error.prepareStackTrace; Error.prepareStackTrace = (_, sites) => sites;
    try { await $db.set("k", { toJSON() { seen = new Error("x").stack.flatMap((site) => [site.getThis(), site.getFunction()]).filter((one) => one?.send ?? one?._handle ?? one?.write); return 1; } }); }
    finally { Error.prepareStackTrace = before; } return seen[0].constructor.name`,
  ],
  ...(["call", "apply", "bind"] as const).map(
    (member) =>
      [
        `watches which functions are called by Function.prototype.${member}`,
        changed(
          "Function.prototype",
          member,
          `function (...all) { if (/^(writeSync|_load|binding|reallyExit|exit)$/.test(this.name)) names.push(this.name); return Reflect.apply(before.value, this, all); }`,
          `${TRAFFIC} if (names.length === 0) throw new Error("none"); return names`,
        ).replace("const owner", "const names = []; const owner"),
      ] as const,
  ),
  ...(
    [
      ["Set.prototype", "has"],
      ["Map.prototype", "has"],
      ["Array.prototype", "includes"],
      ["Object.prototype", "hasOwnProperty"],
      ["Object", "hasOwn"],
      ["RegExp.prototype", "test"],
      ["String.prototype", "startsWith"],
      ["String.prototype", "includes"],
    ] as const
  ).map(
    ([owner, member]) =>
      [
        `opens the list of modules by ${owner}.${member}`,
        changed(owner, member, "() => true", `return require("child_process").execSync.name`),
      ] as const,
  ),
  [
    "opens the list of modules by String.prototype.replace",
    changed("String.prototype", "replace", `() => "child_process"`, `return require("path").execSync.name`),
  ],
  [
    "opens the list of modules by Map.prototype.get",
    changed("Map.prototype", "get", `() => ({ opened: true })`, `return require("child_process").opened`),
  ],
  [
    "names a module by an object with a changing toString",
    `let asked = 0; return require({ toString: () => (asked++ ? "child_process" : "path") }).execSync.name`,
  ],
  [
    "puts a module on the prototype of all objects",
    `Object.prototype.child_process = { opened: "yes" }; try { return require("child_process").opened } finally { delete Object.prototype.child_process }`,
  ],
  ...listed(
    [
      "v8",
      "node:v8",
      "vm",
      "repl",
      "worker_threads",
      "inspector/promises",
      "node:node:fs",
      "internal/bootstrap/loaders",
      "internal/test/binding",
      "trace_events",
      "wasi",
      "module",
      "node:sqlite",
      "node:sea",
      "node:test",
      "diagnostics",
      "sys",
      "_http_agent",
      "_tls_wrap",
      "_stream_wrap",
    ],
    "requires",
    (name) => `return Object.keys(require("${name}")).length`,
  ),
  ...listed(
    ["__proto__", "constructor", "toString", "hasOwnProperty", ""],
    "requires",
    (name) => `return require("${name}")`,
  ),
  ["changes flags of V8", `load("v8").setFlagsFromString("--allow-natives-syntax"); return "set"`],
  ["loads an OpenSSL engine", `load("crypto").setEngine("/tmp/engine.so"); return "set"`],
  ["opens a terminal on a descriptor", `return new (load("tty").ReadStream)(0)._handle.constructor.name`],
  ["opens a socket on a descriptor", `return new (load("net").Socket)({ fd: 4 })._handle.constructor.name`],
  ["writes to a descriptor", `return load("fs").writeSync(4, "x")`],
  [
    "writes to a descriptor by a stream",
    `const stream = load("fs").createWriteStream(null, { fd: 4 }); return stream.write("x")`,
  ],
  ["connects by an agent", `return load("http").globalAgent.createConnection({ port: 80 })`],
  [
    "subscribes to sockets by a diagnostics channel",
    `let seen; const channel = require("diagnostics_channel").channel("net.client.socket"); channel.subscribe((one) => (seen = one)); ${TRAFFIC} return seen.constructor.name`,
  ],
  ...listed(
    ["realpathSync", "statSync", "lstatSync", "accessSync", "readlinkSync", "opendirSync", "statfsSync"],
    "finds that a path exists by",
    (name) => `load("fs").${name}("/etc/passwd"); return "it exists"`,
  ),
  [
    "finds that a path exists by a native function",
    `load("fs").realpathSync.native("/etc/passwd"); return "it exists"`,
  ],
  ["finds that a path exists by a promise", `await load("fs").promises.stat("/etc/passwd"); return "it exists"`],
  [
    "finds that a path exists by a callback",
    `return await new Promise((yes, no) => load("fs").stat("/etc/passwd", (error) => (error ? no(error) : yes("it exists"))))`,
  ],
  [
    "receives the error that a path exists",
    `if (!load("fs").existsSync("/etc/passwd")) throw new Error("no"); return "it exists"`,
  ],
  ["watches a file", `return load("fs").watch("/etc/passwd").constructor.name`],
  ["loads a file into the environment", `return host.loadEnvFile("/etc/passwd") ?? "read"`],
  [
    "runs a string in a timer",
    `return await new Promise((yes, no) => { try { setTimeout("globalThis.done = import('node:fs')", 1); setTimeout(() => (globalThis.done ? globalThis.done.then(yes, no) : no(new Error("not run"))), 20); } catch (error) { no(error); } })`,
  ],
  ["reads the user name", `const os = load("os"); return os.userInfo().username`],
  ["takes the real process by its class", `return new host.constructor().binding("fs")`],
  ["takes a built-in module of process", `return host.getBuiltinModule("fs").readFileSync.name`],
];

/**
 * The same code in plain Node without any guard, in a child process whose channel is a socket. Prints the titles of the escapes that
 * succeeded.
 */
export const UNGUARDED = `
const escapes = JSON.parse(process.argv[1]);
const socket = new (require("net").Socket)({ fd: 4, readable: true, writable: true });
let answer = () => {};
socket.on("data", () => answer());
const ask = (question) => new Promise((yes) => { answer = yes; socket.write(JSON.stringify(question) + "\\n"); });
const $db = { get: (key) => ask({ key }), set: (key, value) => ask({ key, value }) };
const load = require, host = process;
process.on("uncaughtException", () => {});
const AsyncFunction = (async () => {}).constructor;
const inTime = (work) => Promise.race([work, new Promise((_, no) => setTimeout(no, 300, new Error("late")))]);
(async () => {
  const succeeded = [];
  for (const [title, body] of escapes) {
    try { if (await inTime(new AsyncFunction("load", "host", "$db", "require", "console", body)(load, host, $db, require, console))) succeeded.push(title); } catch {}
  }
  require("fs").writeSync(2, JSON.stringify(succeeded));
  process.exit(0);
})();
`;
