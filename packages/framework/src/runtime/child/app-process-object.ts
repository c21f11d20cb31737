import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { getHeapStatistics } from "node:v8";
import { refusingFunction, replaceMember } from "./refusal.ts";

/** A stream whose text goes to the host's log, line by line. */
export const logStream = (write: (line: string) => void): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(chunk.toString().replace(/\n$/, ""));
      done();
    },
  });

/**
 * `process` as an app has it: what computes and tells the time, nothing that reaches the machine, another process or a native handle.
 * The real one stays with the child's own program.
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

/** Puts the app's object in the place of the real one. */
export const installProcess = (appProcess: object) => {
  replaceMember(globalThis, "process", appProcess);
};
