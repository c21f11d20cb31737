import { logText } from "@parley/telemetry";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Invocation, IparamValue, IparamsConfig, Manifest, RequestTemplates } from "@parley/contract";
import type { Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import type { AppHost, AppHostOptions } from "../../src/platform/app-host/app-host.ts";
import { startAppHost } from "../../src/platform/app-host/start-app-host.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import { startFakeAccount, type FakeAccount } from "./fake-account.ts";

const DOMAIN = "acme.parley.localhost";
const ADMIN_KEY = "the-author-of-the-app";

/** Files of a test app. Strings are written unchanged. */
export interface AppParts {
  readonly server?: string;
  readonly common?: Manifest["modules"][string];
  /** Replaces the default manifest. */
  readonly manifest?: object;
  readonly iparams?: IparamsConfig;
  readonly requests?: RequestTemplates;
  readonly files?: Readonly<Record<string, string | object>>;
}

export type AppFixtureOptions = Partial<
  Pick<
    AppHostOptions,
    "settings" | "publicUrl" | "origin" | "boundary" | "eventSecret" | "maps" | "consentsOfRun" | "isCoverageMeasured"
  >
>;

/** A test app on a real host with a settable clock. */
export interface AppFixture {
  readonly host: AppHost;
  readonly database: Database;
  readonly account: FakeAccount;
  readonly folder: string;
  readonly lines: string[];
  /** Calls a function of the app. @errors the host's rejection, as text */
  call(name: string, args?: object): Promise<Invocation>;
  sendEvent(event: string, payload?: object): Promise<Invocation>;
  /** Sends a request that only the app's author may send: POST with a body, GET without one. @errors the host's rejection, as text */
  requestAsAuthor(path: string, body?: object): Promise<unknown>;
  /** Lists all handler invocations, oldest first. */
  invocations(query?: string): Promise<readonly Invocation[]>;
  install(values?: Record<string, IparamValue>): Promise<unknown>;
  /** Advances the clock. @units milliseconds */
  advance(ms: number): void;
  readonly now: () => Date;
  /** Polls until `getValue` returns a value. @errors after the time limit, with the host's log */
  until<T>(getValue: () => T | Promise<T>): Promise<Exclude<T, undefined | false>>;
  write(file: string, content: string | object): Promise<void>;
  /** Starts another host on the same folder and database. */
  startAnotherHost(): Promise<AppHost>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const manifestOf = ({ common = {} }: AppParts) => ({
  "platform-version": "3.0",
  modules: { common, chat_conversation: { events: { onMessageCreate: { handler: "hear" } } } },
});

export async function appFixture(parts: AppParts, options: AppFixtureOptions = {}): Promise<AppFixture> {
  const base = await mkdtemp(join(tmpdir(), "parley-app-"));
  const folder = join(base, "app-of-the-test");
  const write = async (file: string, content: string | object) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  };
  const files: Record<string, string | object> = {
    "manifest.json": parts.manifest ?? manifestOf(parts),
    "config/iparams.json": parts.iparams ?? {},
    "config/requests.json": parts.requests ?? {},
    "server/server.js": `${parts.server ?? "exports = {};"}\nexports.hear ??= function () {};`,
    ...parts.files,
  };
  for (const [file, content] of Object.entries(files)) await write(file, content);
  const [database, account] = await Promise.all([testDatabase(), startFakeAccount()]);
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  let offsetMs = 0;
  const now = () => new Date(realHostPorts.now().getTime() + offsetMs);
  const onJump = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const start = (port = 0) =>
    startAppHost({
      folder,
      database,
      dataFolder: base,
      port,
      hosts: new Map([[DOMAIN, { origin: account.origin }]]),
      domainSuffix: ".parley.localhost",
      eventSecret: () => "",
      adminKey: ADMIN_KEY,
      log: (...line) => void lines.push(logText(...line)),
      ports: { ...realHostPorts, now, onJump },
      ...options,
      settings: { callTimeoutMs: 3_000, scheduleRetryDelaysMs: [10, 10], ...options.settings },
    });
  const hosts: AppHost[] = [];
  const cleanUp = async () => {
    await Promise.all(hosts.map((one) => one.close()));
    await Promise.all([account.close(), database.close()]);
    await rm(base, { recursive: true, force: true });
  };
  let host = await start().catch(async (error: unknown) => {
    await cleanUp();
    throw error;
  });
  hosts.push(host);
  const requestAsAuthor = async (path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${host.url}/admin/${path}`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
    const result = (await answer.json()) as { message?: string };
    if (!answer.ok) throw new Error(result.message);
    return result;
  };
  return {
    get host() {
      return host;
    },
    database,
    account,
    folder,
    lines,
    call: async (name, args = {}) => (await requestAsAuthor("functions", { name, args })) as Invocation,
    requestAsAuthor,
    sendEvent: async (event, payload = {}) => (await requestAsAuthor("events", { event, payload })) as Invocation,
    invocations: async (query = "") =>
      ((await requestAsAuthor(`invocations?${query}`)) as { invocations: readonly Invocation[] }).invocations,
    install: (values = {}) => host.install(values),
    advance(ms) {
      offsetMs += ms;
      for (const listener of listeners) listener();
    },
    now,
    until: (getValue) => waitUntil(getValue, { details: () => lines.join("\n") }),
    write,
    async startAnotherHost() {
      const other = await start();
      hosts.push(other);
      return other;
    },
    async restart() {
      const { port } = host;
      await host.close();
      host = await start(port);
      hosts.push(host);
    },
    close: cleanUp,
  };
}
