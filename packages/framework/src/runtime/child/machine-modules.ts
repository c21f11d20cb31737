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

/** Packages create agents when they are loaded; only requests through them are refused. */
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

/** Returns Node's own module by name. */
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

/** `request` and `get` of a module, sent by the host. */
const client = (load: LoadModule, line: HostConnection, protocol: string) => {
  const request = (...args: unknown[]) => new ClientRequest(line, load("http").STATUS_CODES, protocol, args);
  const get = (...args: unknown[]) => {
    const clientRequest = request(...args);
    clientRequest.end();
    return clientRequest;
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

/** The promise API of a module whose functions take callbacks. */
const promisesOf = (real: object, options: Omit<ModuleStandIn, "how">) =>
  createModuleStandIn(real, { ...options, how: "rejects" });

/** Memoizes the module: two names return the same object. */
const once = <Made>(make: (load: LoadModule) => Made) => {
  let module: Made | undefined;
  return (load: LoadModule): Made => (module ??= make(load));
};

const files = once((load) => {
  const real = load("fs");
  const promises = promisesOf(real.promises, FILES);
  const [ReadStream, WriteStream] = [real.ReadStream, real.WriteStream].map((stream) =>
    refusingFunction(FILES.what, "throws", stream, FILES.code),
  );
  // Packages check whether a body is an instance of these classes.
  const streams = { ReadStream, FileReadStream: ReadStream, WriteStream, FileWriteStream: WriteStream };
  return createModuleStandIn(real, { ...FILES, how: "later", own: { promises, existsSync: () => false, ...streams } });
});

/** Packages create resolvers when they are loaded; only their queries are refused. */
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

/** Constant answers that reveal nothing about this machine. */
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
 * Contexts that follow asynchronous work. The real class has members that return the current resource, including native resources; this class does
 * not expose it.
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

/** Resources that the app creates; those of Node are not exposed. */
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

/** All of the module except functions that load code into OpenSSL. */
const cryptography = (load: LoadModule) => {
  const { webcrypto, ...real } = load("crypto");
  const module: Record<string, unknown> = { ...real, webcrypto };
  delete module["setEngine"];
  delete module["setFips"];
  return { ...module, subtle: webcrypto.subtle, default: module };
};

/**
 * Replacements for Node's modules that access the machine: the same names and shapes, so that packages that only load them work. The clients of
 * `http` and `https` send their requests through the host.
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
