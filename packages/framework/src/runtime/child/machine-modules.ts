import crypto from "node:crypto";
import dgram from "node:dgram";
import dns from "node:dns";
import { EventEmitter } from "node:events";
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import os from "node:os";
import tls from "node:tls";
import tty from "node:tty";
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { standinFor } from "./refusal.ts";

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

const web = (real: typeof http | typeof https) => {
  const { METHODS, STATUS_CODES, maxHeaderSize, validateHeaderName, validateHeaderValue } = http;
  return standinFor(real, {
    ...NETWORK,
    own: {
      Agent: IdleAgent,
      globalAgent: new IdleAgent(),
      ...(real === http && {
        METHODS: [...METHODS],
        STATUS_CODES: { ...STATUS_CODES },
        maxHeaderSize,
        validateHeaderName,
        validateHeaderValue,
      }),
    },
  });
};

/** The promises of a module whose functions take callbacks. */
const promisesOf = (real: object, options: { readonly what: string; readonly code?: string }) =>
  standinFor(real, { ...options, how: "rejects" });

const files = () => {
  const promises = promisesOf(fs.promises, FILES);
  const real = standinFor(fs, { ...FILES, how: "later", own: { promises, existsSync: () => false } });
  return { fs: real, promises };
};

const names = () => {
  const promises = promisesOf(dns.promises, { what: "DNS" });
  return { dns: standinFor(dns, { what: "DNS", how: "later", own: { promises } }), promises };
};

/** The same answers on every machine: nothing of this one. */
const machine = () =>
  standinFor(os, {
    what: "The machine",
    own: {
      EOL: "\n",
      devNull: "/dev/null",
      arch: () => process.arch,
      availableParallelism: () => 1,
      cpus: () => [{ model: "", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
      endianness: os.endianness,
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
const cryptography = () => {
  const module: Record<string, unknown> = { ...crypto };
  delete module["setEngine"];
  delete module["setFips"];
  return { ...module, webcrypto: crypto.webcrypto, subtle: crypto.webcrypto.subtle, default: module };
};

/** In place of Node's modules that reach the machine: same names and shapes, so that packages which only load them go on. */
export const machineModules = (): Record<string, unknown> => {
  const { fs: fileSystem, promises: filePromises } = files();
  const { dns: nameService, promises: namePromises } = names();
  const { isIP, isIPv4, isIPv6 } = net;
  return {
    async_hooks: contexts(),
    crypto: cryptography(),
    dgram: standinFor(dgram, { what: "UDP" }),
    dns: nameService,
    "dns/promises": namePromises,
    fs: fileSystem,
    "fs/promises": filePromises,
    http: web(http),
    http2: standinFor(http2, NETWORK),
    https: web(https),
    net: standinFor(net, { ...NETWORK, own: { isIP, isIPv4, isIPv6 } }),
    os: machine(),
    perf_hooks: { performance, default: { performance } },
    tls: standinFor(tls, { ...NETWORK, own: { rootCertificates: [] } }),
    tty: standinFor(tty, { what: "A terminal", own: { isatty: () => false } }),
  };
};
