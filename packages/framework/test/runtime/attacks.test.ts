import { existsSync } from "node:fs";
import inspector from "node:inspector";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getPriority } from "node:os";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { sampleRows } from "../../../../test/support/campaign.ts";
import { ESCAPES } from "../sandbox/boundary/escapes.ts";
import { processFixture } from "../support/process-fixture.ts";

const LIMITS = { callTimeoutMs: 1_500, loadTimeoutMs: 3_000, maxLogLinesPerSecond: 10_000 };
const TRACE = "/tmp/parley-attack";
/** The tests may run with a lower priority than the default. */
const PRIORITY = getPriority();

let pool: Awaited<ReturnType<typeof processFixture>>;
let server: Server;
/** Number of requests that reached the host's network. */
let requestCount = 0;

beforeAll(async () => {
  Reflect.set(globalThis, "HOST_GLOBAL", "canary-of-the-host");
  pool = await processFixture();
  server = createServer((_request, response) => {
    requestCount += 1;
    response.end("in");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  requestCount = 0;
});
afterAll(async () => {
  await pool.close();
  await new Promise((resolve) => server.close(resolve));
});

/** Tries every known way to obtain a real `process` and Node's modules. */
const TOOLS = `
const globals = [globalThis, $request.invokeTemplate.constructor("return globalThis")(), (0, eval)("this")];
const host = globals.find((one) => one.process)?.process;
const load = (name) => {
  const ways = [() => require(name), () => host.getBuiltinModule(name), () => host.mainModule.require(name),
    () => require("module").createRequire("/")(name), () => globalThis[name]];
  let last;
  for (const way of ways) try { const found = way(); if (found) return found; } catch (error) { last = error; }
  throw last ?? new Error("no way to " + name);
};
`;

/** Attacks that must be rejected. A returned value means that the attack succeeded. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["reads a secret of the host from an environment", `return host.env.HOST_SECRET.length`],
  ["reads a file", `return load("fs").readFileSync("/etc/passwd", "utf8").slice(0, 9)`],
  ["reads a file by a buffer path", `return load("fs").readFileSync(Buffer.from("/etc/passwd")).length`],
  ["reads a file by a promise", `return (await load("fs/promises").readFile("/etc/passwd")).length`],
  ["lists a folder", `return load("fs").readdirSync("/")`],
  ["opens a file as a blob", `return (await load("fs").openAsBlob("/etc/passwd")).size`],
  ["writes a file", `load("fs").writeFileSync("${TRACE}", "x"); return "wrote"`],
  ["makes a link", `load("fs").symlinkSync("/etc", "${TRACE}"); return "linked"`],
  ["reads the host's environment", `return load("fs").readFileSync("/proc/" + args.host + "/environ", "utf8").length`],
  ["reads its own environment", `return load("fs").readFileSync("/proc/self/environ", "utf8").length`],
  ["reads its own memory", `return load("fs").openSync("/proc/self/mem", "r+")`],
  ["runs a command", `return String(load("child_process").execSync("id -u"))`],
  ["forks", `return load("child_process").fork("x").pid`],
  ["replaces its process by another program", `return host.execve("/bin/true", [], {})`],
  ["starts a thread", `return new (load("worker_threads").Worker)("1", { eval: true }).threadId`],
  ["starts a cluster", `return load("cluster").fork().id`],
  ["signals the host", `return host.kill(args.host, 0)`],
  ["signals by another name", `return host._kill(args.host, 0)`],
  ["opens the host's debugger", `host._debugProcess(args.host); return "sent"`],
  ["opens its own debugger", `load("inspector").open(0); return "open"`],
  ["slows the host down", `load("os").setPriority(args.host, 19); return "slowed"`],
  ["takes a binding", `return Object.keys(host.binding("tcp_wrap"))`],
  ["takes a linked binding", `return Object.keys(host._linkedBinding("tcp_wrap"))`],
  ["loads native code", `host.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libm.so.6"); return "loaded"`],
  ["writes a report", `return host.report.writeReport("${TRACE}")`],
  ["writes a heap snapshot", `return load("v8").writeHeapSnapshot("${TRACE}")`],
  ["ends the process", `host.exit(7); return "still here"`],
  ["ends the process with reallyExit", `host.reallyExit(7); return "still here"`],
  ["aborts", `host.abort(); return "still here"`],
  ["changes its user", `host.setuid(0); return host.getuid()`],
  [
    "sends a request over http",
    `return await new Promise((yes, no) =>
      load("http").get({ port: args.port, host: "127.0.0.1" }, (reply) => yes(reply.statusCode)).on("error", no))`,
  ],
  [
    "connects a socket",
    `return await new Promise((yes, no) => {
      const socket = load("net").connect(args.port, "127.0.0.1", () => yes("in")); socket.on("error", no); })`,
  ],
  [
    "connects through the prototype",
    `const { Socket } = load("net"); return await new Promise((yes, no) => {
      const socket = new Socket(); socket.on("error", no);
      Object.getPrototypeOf(Socket.prototype).constructor; Socket.prototype.connect.call(socket, args.port, "127.0.0.1", () => yes("in")); })`,
  ],
  [
    "takes fetch's dispatcher",
    `new Headers(); const agent = globalThis[Symbol.for("undici.globalDispatcher.1")] ?? globalThis[Symbol.for("undici.globalDispatcher.2")];
    return await new Promise((yes, no) => agent.dispatch({ origin: "http://127.0.0.1:" + args.port, path: "/", method: "GET" }, {
      onConnect() {}, onHeaders: (status) => yes(status), onData() {}, onComplete() {}, onError: no }))`,
  ],
  ["fetches", `return (await fetch("http://127.0.0.1:" + args.port)).status`],
  [
    "listens",
    `return await new Promise((yes, no) => {
      const server = load("net").createServer(); server.on("error", no); server.listen(0, () => yes(server.address())); })`,
  ],
  ["listens through an internal name", `return load("net")._createServerHandle("127.0.0.1", 0, 4)`],
  [
    "sends a datagram",
    `const socket = load("dgram").createSocket("udp4"); socket.send("x", args.port, "127.0.0.1"); return "sent"`,
  ],
  [
    "sends a datagram by the handle of a socket",
    `const { createSocket, Socket } = load("dgram");
    const ways = [() => createSocket("udp4"), () => new Socket("udp4"), () => new (Socket.prototype.constructor)("udp4")];
    let socket;
    for (const way of ways) try { socket ??= way(); } catch (error) { if (way === ways.at(-1)) throw error; }
    const state = socket[Object.getOwnPropertySymbols(socket).find((symbol) => socket[symbol]?.handle)];
    return state.handle.bind("127.0.0.1", 0, 0)`,
  ],
  ["resolves a name", `return await load("dns").promises.lookup("localhost")`],
  ["resolves with its own resolver", `return await new (load("dns").promises.Resolver)().resolve4("localhost")`],
  ["imports a module", `return Object.keys(await import("node:child_process"))`],
  ...["process", "net", "module", "inspector", "worker_threads", "v8", "fs"].map(
    (name) => [`imports ${name}`, `return Object.keys(await import("node:${name}"))`] as const,
  ),
  ["answers through a channel of Node", `host.send({ t: "done", id: 1 }); return "sent"`],
  [
    "imports from generated code",
    `return Object.keys(await $request.invokeTemplate.constructor('return import("node:fs")')())`,
  ],
  ["imports from evaluated code", `return Object.keys(await (0, eval)('import("node:child_process")'))`],
  [
    "imports from code that runs outside a call",
    `return Object.keys(await (await Promise.resolve('return import("node:child_process")').then(Function))())`,
  ],
  ["loads the module loader", `return Object.keys(load("module"))`],
  ["loads the debugger", `return Object.keys(load("inspector"))`],
  ["loads the vm module", `return Object.keys(load("wasi"))`],
  ["accesses the host's own objects", `return typeof channel + typeof handlers + channel.send`],
  ["reads a global of the host", `return globals.map((one) => one.HOST_GLOBAL).filter(Boolean)[0].length`],
  [
    "replaces the request method",
    `(() => { "use strict"; $request.invokeTemplate = () => "mine"; })(); return "changed"`,
  ],
];

const EVERYTHING = [...REFUSED, ...ESCAPES];

/** The JavaScript guards must also hold without a boundary of the operating system: some machines offer none. */
const BOUNDARIES = [
  ["", undefined, false],
  [" without isolation by the operating system", ["none"], false],
  [" with coverage", undefined, true],
] as const;

describe.each(BOUNDARIES)("an app's code%s is rejected when it", (_where, names, isCounted) => {
  let inside: Awaited<ReturnType<typeof processFixture>>;
  let watched: ReturnType<typeof inside.start>;
  afterAll(() => inside.close());
  beforeAll(async () => {
    inside = await processFixture(names, isCounted);
    const bodies = EVERYTHING.map(([, body], index) => `exports.a${index} = async (args) => { ${TOOLS} ${body} };`);
    watched = inside.start(
      `${bodies.join("\n")}
      exports.h = async ({ index, ...args }) => {
        let outcome;
        try { outcome = { did: await exports["a" + index](args) }; } catch (error) { outcome = { refused: String(error?.message ?? error) }; }
        console.debug(JSON.stringify(outcome));
      };`,
      { settings: LIMITS },
    );
  });

  test.each(EVERYTHING.map(([title], index) => [title, index] as const))("%s", async (_title, index) => {
    const { port } = server.address() as AddressInfo;
    expect(await watched.runHandler({ index, host: process.pid, port })).toEqual({ refused: expect.any(String) });
    expect(requestCount).toBe(0);
    expect(existsSync(TRACE)).toBe(false);
    expect(inspector.url()).toBeUndefined();
    expect(getPriority()).toBe(PRIORITY);
  });
});

/** Attacks that end the process: title, code, expected log text, and the call's time limit in milliseconds where the default doesn't fit. */
const ENDED: readonly (readonly [string, string, RegExp, number?])[] = [
  ["loops forever", "for (;;);", /h took more than 1.5 s/],
  ["loops after an answer", "await $db.get('x'); for (;;);", /h took more than 1.5 s/],
  ["loops in microtasks", "await null; await 0; for (;;);", /h took more than 1.5 s/],
  ["never answers", "await new Promise(() => {});", /h took more than 1.5 s/],
  ["sleeps", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);", /h took more than 1.5 s/],
  ["fills the heap", "const all = []; for (;;) all.push(new Array(1e6).fill(1.5));", /ran out of memory/, 20_000],
  [
    "sends an endless message",
    "let left = 2e6; while (left > 0) try { left -= rawFs.writeSync(4, 'x'.repeat(50_000)); } catch {}; for (;;);",
    /message of more than 1048576 bytes/,
  ],
  [
    "sends an invalid message",
    "rawFs.writeSync(4, 'hello\\n'); await new Promise(() => {});",
    /not a message of the protocol/,
  ],
  [
    "sends a message that no schema permits",
    "rawFs.writeSync(4, JSON.stringify({ t: 'ask', id: 1, question: { of: 'db.drop' } }) + '\\n'); await new Promise(() => {});",
    /not a message of the protocol/,
  ],
  ["closes its channel", "rawFs.closeSync(4); await new Promise(() => {});", /SIG|closed its channel|took more/],
  ["logs an endless line", "for (;;) process.stdout.write('x'.repeat(65_536));", /without an end|took more|memory/],
];

describe("an app's process is ended, and the next one works, when it", () => {
  test.each(sampleRows(ENDED, 6))("%s", async (_title, body, reason, callTimeoutMs = LIMITS.callTimeoutMs) => {
    const watched = pool.start(`exports.h = async () => { ${body} };`, {
      settings: { ...LIMITS, callTimeoutMs },
      isEscaped: true,
    });
    await expect(watched.call("h", {}, false)).rejects.toThrow(reason);
    await watched.ended;
    expect(watched.isAlive()).toBe(false);
    await expect(watched.call("h", {}, false)).rejects.toThrow("the app's process has ended");
  });
});
