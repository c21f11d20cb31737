import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { getHeapStatistics } from "node:v8";
import { refusingFunction, replaceMember } from "./refusal.ts";

/** A stream whose text is logged by the host, line by line. */
export const logStream = (write: (line: string) => void): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(chunk.toString().replace(/\n$/, ""));
      done();
    },
  });

/**
 * The `process` object for apps: members that compute or read the time, but no member that gives access to the machine, another process or a
 * native handle. Only the child's own program uses the real object.
 */
export const appProcessObject = (write: {
  readonly out: (line: string) => void;
  readonly error: (line: string) => void;
}) => {
  const real = process;
  const memoryUsage = () => {
    const { total_heap_size, used_heap_size, external_memory, total_physical_size } = getHeapStatistics();
    const external = external_memory;
    return {
      rss: total_physical_size + external,
      heapTotal: total_heap_size,
      heapUsed: used_heap_size,
      external,
      arrayBuffers: 0,
    };
  };
  const members = {
    arch: real.arch,
    argv: ["node"],
    argv0: "node",
    config: {},
    cpuUsage: real.cpuUsage.bind(real),
    cwd: () => "/",
    emitWarning: real.emitWarning.bind(real),
    env: {},
    execArgv: [],
    execPath: "node",
    exit: refusingFunction("Ending the process"),
    exitCode: undefined,
    features: { ...real.features },
    hrtime: Object.assign(real.hrtime.bind(real), { bigint: real.hrtime.bigint.bind(real.hrtime) }),
    memoryUsage: Object.assign(memoryUsage, { rss: () => memoryUsage().rss }),
    nextTick: real.nextTick.bind(real),
    pid: 1,
    platform: real.platform,
    ppid: 0,
    release: { name: real.release.name },
    stderr: logStream(write.error),
    stdin: Readable.from([]),
    stdout: logStream(write.out),
    title: "node",
    uptime: real.uptime.bind(real),
    version: real.version,
    versions: { ...real.versions },
    [Symbol.toStringTag]: "process",
  };
  return Object.assign(new EventEmitter(), members);
};

/** Replaces the real object by the app's. */
export const installProcess = (appProcess: object) => {
  replaceMember(globalThis, "process", appProcess);
};
