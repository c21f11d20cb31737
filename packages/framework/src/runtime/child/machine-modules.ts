import type cryptoModule from "node:crypto";
import type dgramModule from "node:dgram";
import type dnsModule from "node:dns";
import type fsModule from "node:fs";
import type httpModule from "node:http";
import type http2Module from "node:http2";
import type httpsModule from "node:https";
import type netModule from "node:net";
import type osModule from "node:os";
import type tlsModule from "node:tls";
import type ttyModule from "node:tty";
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { ClientRequest, IncomingMessage, type HostConnection } from "./client-request.ts";
import { refusingFunction, createModuleStandIn, type RefusalStyle, type ModuleStandIn } from "./refusal.ts";

const NETWORK = { what: "A direct network connection" };
const FILES = { what: "The file system", code: "EACCES" } as const;
const MEGABYTE = 1024 * 1024;

/** Packages make agents when they are loaded; a request of theirs is what is refused. */
class IdleAgent extends EventEmitter {
  readonly options: unknown;
  readonly maxSockets = Infinity;
  readonly maxFreeSockets = 256;
  readonly sockets = {};
  readonly freeSockets = {};
  readonly requests = {};
  constructor(options: unknown = {}) {
    super();
    this.options = options;
  }
  destroy() {
    this.removeAllListeners();
  }
}

/** Node's own module of a name. */
export type LoadModule = <Name extends keyof Modules>(name: Name) => Modules[Name];
interface Modules {
  readonly crypto: typeof cryptoModule;
  readonly dgram: typeof dgramModule;
  readonly dns: typeof dnsModule;
  readonly fs: typeof fsModule;
  readonly http: typeof httpModule;
  readonly http2: typeof http2Module;
  readonly https: typeof httpsModule;
  readonly net: typeof netModule;
  readonly os: typeof osModule;
  readonly tls: typeof tlsModule;
  readonly tty: typeof ttyModule;
}

const agents = () => ({ Agent: IdleAgent, globalAgent: new IdleAgent() });

/** `request` and `get` of a module, over the host. */
const client = (load: LoadModule, line: HostConnection, protocol: string) => {
  const request = (...given: unknown[]) => new ClientRequest(line, load("http").STATUS_CODES, protocol, given);
  const get = (...given: unknown[]) => {
    const made = request(...given);
    made.end();
    return made;
  };
  return { request, get };
};

const http = (load: LoadModule, line: HostConnection) => {
  const real = load("http");
  const { METHODS, STATUS_CODES, maxHeaderSize, validateHeaderName, validateHeaderValue } = real;
  const computing = { maxHeaderSize, validateHeaderName, validateHeaderValue };
  return createModuleStandIn(real, {
    ...NETWORK,
    own: {
      ...agents(),
      ...client(load, line, "http:"),
      ClientRequest,
      IncomingMessage,
      METHODS: [...METHODS],
      STATUS_CODES: { ...STATUS_CODES },
      ...computing,
    },
  });
};

/** The promises of a module whose functions take callbacks. */
const promisesOf = (real: object, options: Omit<ModuleStandIn, "how">) =>
  createModuleStandIn(real, { ...options, how: "rejects" });

/** Two names lead to what this makes: it is the same for both. */
const once = <Made>(make: (load: LoadModule) => Made) => {
  let made: Made | undefined;
  return (load: LoadModule): Made => (made ??= make(load));
};

const files = once((load) => {
  const real = load("fs");
  const promises = promisesOf(real.promises, FILES);
  const [ReadStream, WriteStream] = [real.ReadStream, real.WriteStream].map((stream) =>
    refusingFunction(FILES.what, "throws", stream, FILES.code),
  );
  // Packages ask whether a body is one of them.
  const streams = { ReadStream, FileReadStream: ReadStream, WriteStream, FileWriteStream: WriteStream };
  return createModuleStandIn(real, { ...FILES, how: "later", own: { promises, existsSync: () => false, ...streams } });
});

/** Packages make resolvers when they are loaded; a question of theirs is what is refused. */
const idleResolver = ({ prototype }: { readonly prototype: object }, how: RefusalStyle) => {
  class Resolver {
    cancel() {}
    getServers(): string[] {
      return [];
    }
    setLocalAddress() {}
    setServers() {}
  }
  for (const name of Object.getOwnPropertyNames(prototype))
    if (/^(?:resolve|reverse)/.test(name)) Reflect.set(Resolver.prototype, name, refusingFunction("DNS", how));
  return Resolver;
};

const names = once((load) => {
  const real = load("dns");
  const ofPromises = { Resolver: idleResolver(real.promises.Resolver, "rejects") };
  const promises = promisesOf(real.promises, { what: "DNS", own: ofPromises });
  return createModuleStandIn(real, {
    what: "DNS",
    how: "later",
    own: { promises, Resolver: idleResolver(real.Resolver, "later") },
  });
});

/** The same answers on every machine: nothing of this one. */
const machine = (load: LoadModule) =>
  createModuleStandIn(load("os"), {
    what: "The machine",
    own: {
      EOL: "\n",
      devNull: "/dev/null",
      arch: () => process.arch,
      availableParallelism: () => 1,
      cpus: () => [{ model: "", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
      endianness: load("os").endianness,
      freemem: () => 128 * MEGABYTE,
      homedir: () => "/",
      hostname: () => "localhost",
      loadavg: () => [0, 0, 0],
      machine: () => "",
      networkInterfaces: () => ({}),
      platform: () => "linux",
      release: () => "",
      tmpdir: () => "/tmp",
      totalmem: () => 512 * MEGABYTE,
      type: () => "Linux",
      uptime: () => 0,
      version: () => "",
    },
  });

/**
 * Contexts that follow asynchronous work. The real class has members that hand out the resource at work, native ones among them:
 * this one keeps it to itself.
 */
class ContextStorage {
  readonly #storage = new AsyncLocalStorage<unknown>();
  static bind(fn: (...args: unknown[]) => unknown) {
    return AsyncResource.bind(fn);
  }
  static snapshot() {
    return AsyncResource.bind((fn: (...args: unknown[]) => unknown, ...args: unknown[]) => fn(...args));
  }
  run(store: unknown, fn: (...args: unknown[]) => unknown, ...args: unknown[]) {
    return this.#storage.run(store, fn, ...args);
  }
  exit(fn: (...args: unknown[]) => unknown, ...args: unknown[]) {
    return this.#storage.exit(fn, ...args);
  }
  getStore() {
    return this.#storage.getStore();
  }
  enterWith(store: unknown) {
    this.#storage.enterWith(store);
  }
  disable() {
    this.#storage.disable();
  }
}

/** A resource is what the app itself makes; those of Node are not shown. */
const contexts = () => {
  const hook = { enable: () => hook, disable: () => hook };
  const module = {
    AsyncLocalStorage: ContextStorage,
    AsyncResource,
    createHook: () => hook,
    executionAsyncId: () => 0,
    triggerAsyncId: () => 0,
    executionAsyncResource: () => ({}),
    asyncWrapProviders: {},
  };
  return { ...module, default: module };
};

/** Everything but what loads code into OpenSSL. */
const cryptography = (load: LoadModule) => {
  const { webcrypto, ...real } = load("crypto");
  const module: Record<string, unknown> = { ...real, webcrypto };
  delete module["setEngine"];
  delete module["setFips"];
  return { ...module, subtle: webcrypto.subtle, default: module };
};

/**
 * In place of Node's modules that reach the machine: same names and shapes, so that packages which only load them go on. The clients of `http` and `https` ask
 * the host.
 */
export const MACHINE_MODULES: Readonly<Record<string, (load: LoadModule, line: HostConnection) => unknown>> = {
  async_hooks: contexts,
  crypto: cryptography,
  dgram: (load) => createModuleStandIn(load("dgram"), { what: "UDP" }),
  dns: names,
  "dns/promises": (load) => names(load)["promises"],
  fs: files,
  "fs/promises": (load) => files(load)["promises"],
  http,
  http2: (load) => createModuleStandIn(load("http2"), NETWORK),
  https: (load, line) =>
    createModuleStandIn(load("https"), { ...NETWORK, own: { ...agents(), ...client(load, line, "https:") } }),
  net: (load) => {
    const { isIP, isIPv4, isIPv6 } = load("net");
    return createModuleStandIn(load("net"), { ...NETWORK, own: { isIP, isIPv4, isIPv6 } });
  },
  os: machine,
  perf_hooks: () => ({ performance, default: { performance } }),
  tls: (load) => createModuleStandIn(load("tls"), { ...NETWORK, own: { rootCertificates: [] } }),
  tty: (load) => createModuleStandIn(load("tty"), { what: "A terminal", own: { isatty: () => false } }),
};
