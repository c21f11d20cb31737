/**
 * Attempts of a program that has all of Node and is confined only by the operating system.
 * Each text is the body of an async function; a non-empty return value means that the attempt succeeded. `at` contains the victims.
 */
export interface Victims {
  /** A file of the host's user that contains the secret. */
  readonly secretFile: string;
  /** A symbolic link to `secretFile`. */
  readonly secretLink: string;
  /** A world-writable folder. */
  readonly openFolder: string;
  /** A world-writable file in `openFolder`. */
  readonly openFile: string;
  readonly socketPath: string;
  readonly abstractName: string;
  readonly port: number;
  readonly datagramPort: number;
  /** Pid of a process of the host's user. */
  readonly victim: number;
  readonly host: number;
}

type Attempts = readonly (readonly [title: string, body: string])[];

/** Returns one attempt for each text. */
const each = (texts: readonly string[], title: string, body: (text: string) => string): Attempts =>
  texts.map((text) => [`${title} ${text}`, body(text)] as const);

const connectBody = (options: string) =>
  `return await new Promise((yes, no) => { const socket = net.connect(${options}); socket.on("error", no).on("connect", () => yes("in")); })`;
const requestBody = (module: string, url: string) =>
  `return await new Promise((yes, no) => require("${module}").get(${url}, (reply) => yes(reply.statusCode)).on("error", no))`;

export const FAMILIES: Readonly<Record<string, Attempts>> = {
  // First in the list: descriptors that later attempts open would be counted as inherited.
  "gains rights": [
    ["becomes root", `process.setuid(0); return process.getuid() === 0 && fs.readFileSync(at.secretFile).length`],
    ["takes another user", `process.setuid(1); fs.writeFileSync(at.openFile, "x"); return "changed"`],
    ["takes another group", `process.setgid(1); fs.writeFileSync(at.openFile, "x"); return "changed"`],
    ["takes more groups", `process.setgroups([0]); fs.writeFileSync(at.openFile, "x"); return "changed"`],
    [
      "leaves by chroot",
      `require("child_process").execFileSync("/usr/sbin/chroot", ["/", "/bin/true"]); return "left"`,
    ],
    [
      "mounts",
      `require("child_process").execFileSync("/bin/mount", ["-t", "tmpfs", "none", at.openFolder]); return "mounted"`,
    ],
    [
      "makes namespaces",
      `require("child_process").execFileSync("/usr/bin/unshare", ["-Ur", "/bin/true"]); return "made"`,
    ],
    ["loads native code of the machine", `process.dlopen({ exports: {} }, at.openFile); return "loaded"`],
    [
      "starts Node with other rights",
      `return String(require("child_process").execFileSync(process.execPath, ["-p", "require('fs').readFileSync(" + JSON.stringify(at.secretFile) + ").length"]))`,
    ],
    [
      "uses inherited descriptors",
      `for (let fd = 5; fd < 64; fd++) try { if (fs.fstatSync(fd).isDirectory() || fs.readlinkSync("/proc/self/fd/" + fd).startsWith("/")) return fd; } catch {} throw new Error("none")`,
    ],
    [
      "reads the host's environment",
      `return fs.readFileSync("/proc/" + at.host + "/environ", "utf8").includes("canary") && "read"`,
    ],
    ["has the host's environment", `return process.env.PARLEY_CANARY`],
  ],
  "reads files": [
    ...each(
      ["readFileSync(at.secretFile)", "readFileSync(at.secretLink)", "readFileSync(Buffer.from(at.secretFile))"],
      "by",
      (call) => `return fs.${call}.length`,
    ),
    ["by a promise", `return (await fs.promises.readFile(at.secretFile)).length`],
    ["by a URL", `return fs.readFileSync(require("url").pathToFileURL(at.secretFile)).length`],
    ["by a stream", `for await (const part of fs.createReadStream(at.secretFile)) return part.length`],
    ["by an open descriptor", `return fs.openSync(at.secretFile, "r")`],
    ["as a blob", `return (await (await fs.openAsBlob(at.secretFile)).text()).length`],
    ["by a path with parent segments", `return fs.readFileSync("/../../../../.." + at.secretFile).length`],
    ["by /proc/self/root", `return fs.readFileSync("/proc/self/root" + at.secretFile).length`],
    ["by /proc/1/root", `return fs.readFileSync("/proc/1/root" + at.secretFile).length`],
    [
      "by the root folder of the host's process",
      `return fs.readFileSync("/proc/" + at.host + "/root" + at.secretFile).length`,
    ],
    ["by watching a folder", `fs.watch(at.openFolder).close(); return "watched"`],
    ["as a module", `return require(at.secretFile)`],
    ["as an imported text", `return await import(at.secretFile, { with: { type: "json" } })`],
    ["by a copy", `fs.copyFileSync(at.secretFile, "/tmp/copy"); return fs.readFileSync("/tmp/copy").length`],
    ["by a hard link", `fs.linkSync(at.secretFile, at.openFolder + "/linked"); return "linked"`],
    ["by listing its folder", `return fs.readdirSync(require("path").dirname(at.secretFile)).length`],
    ["by opening its folder", `return fs.opendirSync(require("path").dirname(at.secretFile)).readSync().name`],
    ...each(
      ["/etc/passwd", "/etc/shadow", "/etc/hostname", "/bin/sh", "/var/log/dpkg.log", "/root/.bashrc"],
      "of the system:",
      (path) => `return fs.readFileSync("${path}").length`,
    ),
    ...each(
      ["/etc", "/home", "/root", "/var", "/tmp", "/dev", "/run"],
      "lists",
      (path) => `return fs.readdirSync("${path}").length`,
    ),
    ...each(
      ["environ", "maps", "cmdline", "mem", "fd", "cwd", "stat"],
      "of the host's process:",
      (name) =>
        `const path = "/proc/" + at.host + "/${name}"; return fs.statSync(path).isDirectory() ? fs.readdirSync(path).length : fs.readFileSync(path).length`,
    ),
    ["reads the kernel's parameters", `return fs.readFileSync("/proc/sys/kernel/hostname").length`],
    ["reads devices of the machine", `return fs.readdirSync("/sys/class").length`],
  ],
  "writes files": [
    ...each(
      [
        "writeFileSync(at.openFile, 'x')",
        "appendFileSync(at.openFile, 'x')",
        "truncateSync(at.openFile)",
        "chmodSync(at.openFile, 0o644)",
        "utimesSync(at.openFile, 1, 1)",
        "renameSync(at.openFile, at.openFile + '.moved')",
        "unlinkSync(at.openFile)",
        "symlinkSync('/etc', at.openFolder + '/link')",
        "mkdirSync(at.openFolder + '/made')",
        "mkdtempSync(at.openFolder + '/made-')",
        "writeFileSync(at.openFolder + '/new', 'x')",
        "cpSync('/lib', at.openFolder + '/copied', { recursive: true })",
        "rmSync(at.openFolder, { recursive: true })",
        "openSync(at.openFile, 'r+')",
      ],
      "by",
      (call) => `fs.${call}; return "changed"`,
    ),
    ...each(
      ["/tmp", "/var/tmp", "/dev/shm", "/", "/etc", "/usr"],
      "makes a file in",
      (folder) => `fs.writeFileSync("${folder}/parley-attempt", "x"); return "made"`,
    ),
    ["by a report", `return process.report.writeReport(at.openFolder + "/report")`],
    ["by a heap snapshot", `return require("v8").writeHeapSnapshot(at.openFolder + "/heap")`],
    [
      "by a compiler trace",
      `require("v8").setFlagsFromString("--trace-opt"); require("v8").setFlagsFromString("--redirect-code-traces-to=" + at.openFile);
      require("v8").setFlagsFromString("--redirect-code-traces"); require("v8").setFlagsFromString("--print-opt-code");
      const hot = new Function("n", "let sum = 0; for (let i = 0; i < n; i++) sum += i; return sum"); for (let i = 0; i < 3000; i++) hot(1000);
      return fs.readFileSync(at.openFile, "utf8") !== "as it was"`,
    ],
    [
      "by a debugger profile",
      `const session = new (require("inspector").Session)(); session.connect(); session.post("NodeTracing.start", {}); return fs.writeFileSync(at.openFolder + "/profile", "x") ?? "made"`,
    ],
    ["by a kernel parameter", `fs.writeFileSync("/proc/sys/kernel/core_pattern", "|/bin/sh"); return "written"`],
    ["by the memory of a process", `return fs.openSync("/proc/" + at.victim + "/mem", "r+")`],
  ],
  "connects to the network": [
    ...each(["'127.0.0.1'", "'localhost'", "'0.0.0.0'", "'::ffff:127.0.0.1'", "'127.1'"], "to", (host) =>
      connectBody(`at.port, ${host}`),
    ),
    ["by http", requestBody("http", `"http://127.0.0.1:" + at.port`)],
    ["by https", requestBody("https", `{ host: "127.0.0.1", port: at.port, rejectUnauthorized: false }`)],
    [
      "by http2",
      `return await new Promise((yes, no) => require("http2").connect("http://127.0.0.1:" + at.port).on("error", no).on("connect", () => yes("in")))`,
    ],
    ["by fetch", `return (await fetch("http://127.0.0.1:" + at.port)).status`],
    [
      "by a secure socket",
      `return await new Promise((yes, no) => { const socket = require("tls").connect({ port: at.port, rejectUnauthorized: false }); socket.on("error", no); socket.once("connect", () => yes("in")); })`,
    ],
    [
      "by the native class",
      `return process.binding("tcp_wrap") && ${connectBody(`at.port, "127.0.0.1"`).replace("return await", "await")}`,
    ],
    [
      "by a datagram",
      `return await new Promise((yes, no) => { const socket = require("dgram").createSocket("udp4"); socket.on("error", no); socket.send("x", at.datagramPort, "127.0.0.1", (error) => error ? no(error) : yes("sent")); })`,
    ],
    [
      "by a connected datagram",
      `return await new Promise((yes, no) => { const socket = require("dgram").createSocket("udp4"); socket.on("error", no); socket.connect(at.datagramPort, "127.0.0.1", () => socket.send("x", (error) => error ? no(error) : yes("sent"))); })`,
    ],
    [
      "listens",
      `return await new Promise((yes, no) => net.createServer().on("error", no).listen(0, "127.0.0.1", function () { yes(this.address().port) }))`,
    ],
    [
      "listens for datagrams",
      `return await new Promise((yes, no) => require("dgram").createSocket("udp4").on("error", no).bind(0, "127.0.0.1", function () { yes(this.address().port) }))`,
    ],
    [
      "shows the machine's interfaces",
      `return Object.values(require("os").networkInterfaces()).flat().some(({ address }) => address === "127.0.0.1" || address)`,
    ],
    [
      "by a thread",
      `return await new Promise((yes, no) => new (require("worker_threads").Worker)("require('net').connect(" + at.port + ", '127.0.0.1').on('connect', () => require('worker_threads').parentPort.postMessage('in')).on('error', (error) => { throw error })", { eval: true }).on("message", yes).on("error", no))`,
    ],
  ],
  "connects to sockets of the machine": [
    ["by a path", connectBody("at.socketPath")],
    ["by a path, as an option", connectBody("{ path: at.socketPath }")],
    ["by an abstract name", connectBody(`"\\0" + at.abstractName`)],
    ["by http", requestBody("http", `{ socketPath: at.socketPath }`)],
    [
      "by http2",
      `return await new Promise((yes, no) => require("http2").connect("http://x", { createConnection: () => net.connect(at.socketPath) }).on("error", no).on("connect", () => yes("in")))`,
    ],
    [
      "by a secure socket",
      `return await new Promise((yes, no) => { const socket = require("tls").connect({ path: at.socketPath, rejectUnauthorized: false }); socket.on("error", no); socket.once("connect", () => yes("in")); })`,
    ],
    [
      "by the native pipe of a secure socket",
      `const Pipe = new (require("tls").TLSSocket)(null, { pipe: true })._handle._parent.constructor;
      let Connect; const hook = require("async_hooks").createHook({ init(id, type, trigger, resource) { if (type === "PIPECONNECTWRAP") Connect = resource.constructor; } }).enable();
      try { net.connect(at.socketPath).on("error", () => {}); } catch {}
      await new Promise((go) => setTimeout(go, 50)); hook.disable();
      const pipe = new Pipe(0); const request = new Connect();
      return await new Promise((yes, no) => { request.oncomplete = (status) => status === 0 ? yes("in") : no(new Error(String(status))); const status = pipe.connect(request, at.socketPath); if (status) no(new Error(String(status))); })`,
    ],
    [
      "listens by a path",
      `return await new Promise((yes, no) => net.createServer().on("error", no).listen(at.openFolder + "/listening", () => yes("listening")))`,
    ],
    [
      "listens by an abstract name",
      `return await new Promise((yes, no) => net.createServer().on("error", no).listen("\\0" + at.abstractName + "2", () => yes("listening")))`,
    ],
  ],
  "reaches other processes": [
    ...each(
      ["0", "'SIGTERM'", "'SIGSTOP'", "'SIGUSR1'"],
      "signals with",
      (signal) => `process.kill(at.victim, ${signal}); return "sent"`,
    ),
    ["signals a group", `process.kill(-at.victim, 0); return "sent"`],
    ["signals by its debugger's name", `process._debugProcess(at.victim); return "sent"`],
    ["signals its parent", `process.kill(process.ppid, 0); return process.ppid > 1 && "sent"`],
    ["slows the host down", `require("os").setPriority(at.victim, 19); return "slowed"`],
    ["reads its memory's map", `return fs.readFileSync("/proc/" + at.victim + "/maps").length`],
    [
      "changes a process's out-of-memory score",
      `fs.writeFileSync("/proc/" + at.victim + "/oom_score_adj", "1000"); return "changed"`,
    ],
    ["lists processes", `return fs.readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)).length > 1 && "seen"`],
    ...each(
      ["/bin/sh", "/usr/bin/env", "/usr/bin/perl", "process.execPath"],
      "starts",
      (program) =>
        `return String(require("child_process").execFileSync(${program === "process.execPath" ? program : `"${program}"`}, ["-v"]))`,
    ),
    ["starts a shell", `return String(require("child_process").execSync("id"))`],
    [
      "starts a program beside itself",
      `return require("child_process").spawn(process.execPath, ["-v"], { detached: true }).on("error", () => {}).pid`,
    ],
    ["forks", `return require("child_process").fork("/dev/null").on("error", () => {}).pid`],
    [
      "starts a cluster",
      `require("cluster").setupPrimary({ exec: "/dev/null" }); return require("cluster").fork().on("error", () => {}).process.pid`,
    ],
  ],
};
