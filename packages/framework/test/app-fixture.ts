import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Invocation, IparamValue, IparamsConfig, Manifest, RequestTemplates } from "@parley/contract";
import type { Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import type { AppHostOptions } from "../src/host/host-options.ts";
import { startAppHost, type AppHost } from "../src/host/host.ts";
import { realHostPorts } from "../src/environment/ports.ts";
import { startAccount, type Account } from "./fake-account.ts";

const DOMAIN = "acme.parley.localhost";
const ADMIN_KEY = "the-author-of-the-app";

/** What an app of the test is made of; text is written as it is. */
export interface AppParts {
  readonly server?: string;
  readonly common?: Manifest["modules"][string];
  /** In place of the usual manifest. */
  readonly manifest?: object;
  readonly iparams?: IparamsConfig;
  readonly requests?: RequestTemplates;
  readonly files?: Readonly<Record<string, string | object>>;
}

export type StageOptions = Partial<
  Pick<
    AppHostOptions,
    "settings" | "publicUrl" | "origin" | "boundary" | "eventSecret" | "maps" | "consentsOfRun" | "isCoverageMeasured"
  >
>;

/** An app made by the test on a real host, with a clock that can be set. */
export interface AppStage {
  readonly host: AppHost;
  readonly database: Database;
  readonly account: Account;
  readonly folder: string;
  readonly lines: string[];
  /** Calls a function of the app. @errors the host's refusal, as text */
  call(name: string, args?: object): Promise<Invocation>;
  raise(event: string, payload?: object): Promise<Invocation>;
  /** What only the app's author may ask: a POST where there is a body. @errors the host's refusal, as text */
  author(path: string, body?: object): Promise<unknown>;
  /** All that the handlers did, oldest first. */
  invocations(query?: string): Promise<readonly Invocation[]>;
  install(values?: Record<string, IparamValue>): Promise<unknown>;
  /** Sets the clock forward. @units milliseconds */
  advance(ms: number): void;
  readonly now: () => Date;
  /** Waits for what comes by itself. @errors after ten seconds, with what the host logged */
  until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T>;
  write(file: string, content: string | object): Promise<void>;
  /** One more host on the same folder and database. */
  another(): Promise<AppHost>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const manifestOf = ({ common = {} }: AppParts) => ({
  "platform-version": "3.0",
  modules: { common, chat_conversation: { events: { onMessageCreate: { handler: "hear" } } } },
});

export async function appStage(parts: AppParts, options: StageOptions = {}): Promise<AppStage> {
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
  const [database, account] = await Promise.all([testDatabase(), startAccount()]);
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  let ahead = 0;
  const now = () => new Date(realHostPorts.now().getTime() + ahead);
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
      log: (line) => void lines.push(line),
      ports: { ...realHostPorts, now, onClockSet: onJump },
      ...options,
      settings: { callTimeoutMs: 3_000, scheduleRetryDelaysMs: [10, 10], ...options.settings },
    });
  const hosts: AppHost[] = [];
  const clear = async () => {
    await Promise.all(hosts.map((one) => one.close()));
    await Promise.all([account.close(), database.close()]);
    await rm(base, { recursive: true, force: true });
  };
  let host = await start().catch(async (error: unknown) => {
    await clear();
    throw error;
  });
  hosts.push(host);
  const author = async (path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${host.url}/admin/${path}`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
    const said = (await answer.json()) as { message?: string };
    if (!answer.ok) throw new Error(said.message);
    return said;
  };
  return {
    get host() {
      return host;
    },
    database,
    account,
    folder,
    lines,
    call: async (name, args = {}) => (await author("functions", { name, args })) as Invocation,
    author,
    raise: async (event, payload = {}) => (await author("events", { event, payload })) as Invocation,
    invocations: async (query = "") =>
      ((await author(`invocations?${query}`)) as { invocations: readonly Invocation[] }).invocations,
    install: (values = {}) => host.install(values),
    advance(ms) {
      ahead += ms;
      for (const listener of listeners) listener();
    },
    now,
    async until(look) {
      for (let waited = 0; waited < 10_000; waited += 20) {
        const found = await look();
        if (found !== undefined) return found;
        await setTimeout(20);
      }
      throw new Error(`it did not come:\n${lines.join("\n")}`);
    },
    write,
    async another() {
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
    close: clear,
  };
}
