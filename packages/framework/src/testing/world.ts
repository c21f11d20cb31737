import type {
  ClockChange,
  ClockState,
  AppSettingsAnswer,
  Fault,
  HostActivity,
  Invocation,
  NewAccessToken,
  NewFault,
} from "@parley/contract";
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { testingConfig } from "./config.ts";
import { type Announcement, instanceAdminKey, startInstance } from "./instance.ts";
import { setTimeout } from "node:timers/promises";
import { testApi, type TestApi, call } from "./api.ts";
import { similarName } from "../model/similar-name.ts";

/** The instance's clock; schedules, retries, lifetimes and windows follow it. */
export interface TestClock {
  /** Stops the clock at the present or at the given time. */
  freeze(at?: Date): Promise<ClockState>;
  set(to: Date): Promise<ClockState>;
  /** @shape by: such as 1d, 90m, 1h30m or PT2H */
  advance(by: string): Promise<ClockState>;
  /** Resumes the clock from its current time. */
  run(): Promise<ClockState>;
  /** As at the beginning. */
  reset(): Promise<ClockState>;
}

const testClock = (change: (change: ClockChange) => Promise<ClockState>): TestClock => ({
  freeze: (at) => change({ action: "freeze", ...(at ? { time: at.toISOString() } : {}) }),
  set: (to) => change({ action: "set", time: to.toISOString() }),
  advance: (by) => change({ action: "advance", by }),
  run: () => change({ action: "run" }),
  reset: () => change({ action: "reset" }),
});

interface JoinedWorld {
  readonly announcement: Announcement;
  /** Lets others have it. */
  readonly leave: () => void;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** -> whether it is ours now; two test files at a time would disturb each other's data. */
const take = (file: string): boolean => {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const holder = Number(readFileSync(file, { encoding: "utf8", flag: "a+" }));
    if (holder > 0 && isAlive(holder)) return false;
    rmSync(file, { force: true });
    return take(file);
  }
};

const trueFolder = (folder: string): string => {
  try {
    return realpathSync(resolve(folder));
  } catch {
    return resolve(folder);
  }
};

/** The instance that `parley test` has started, if it runs the app and no other test uses it. */
const joinWorld = (folder: string): JoinedWorld | undefined => {
  const line = testingConfig().world;
  if (line === undefined) return undefined;
  const announcement = JSON.parse(line) as Announcement;
  const wanted = trueFolder(folder);
  if (!announcement.apps.some((app) => app.folder === wanted)) return undefined;
  const file = join(announcement.dataFolder, "taken");
  if (!take(file)) return undefined;
  return { announcement, leave: () => rmSync(file, { force: true }) };
};

/** @shape an app with its own installation page takes any JSON, and `__meta` */
type Values = Readonly<Record<string, unknown>>;
type Payload = Readonly<Record<string, unknown>>;

export interface WorldOptions {
  /** Folder of the app; the current folder if absent. */
  readonly folder?: string;
  /**
   * What the app is installed with; what has a default, and the account's own address and key, may be left out. `false`: not
   * installed.
   */
  readonly iparams?: Values | false;
  /** Addresses of this machine for hosts that the app asks, such as `{"api.example.com": "http://localhost:4000"}`. */
  readonly maps?: Readonly<Record<string, string>>;
}

interface TestInvocationFilter {
  readonly event?: string;
  readonly handler?: string;
  readonly ok?: boolean;
}

/** A service with the app on it. Its clock stands, and ids are the same in each run. */
export interface World {
  /** Address of the service with the version segment. */
  readonly url: string;
  readonly token: string;
  readonly account: string;
  /** Where the app is shown, and where it is installed. */
  readonly page: string;
  readonly installPage: string;
  readonly api: TestApi;
  /** @errors Error with what is wrong with the values */
  install(values?: Values): Promise<void>;
  /** Stores app settings, as `parley setting set` does; an empty text removes one. @errors Error with what is wrong with them, or what the app refuses */
  setAppSettings(settings: Readonly<Record<string, string>>): Promise<void>;
  uninstall(): Promise<void>;
  /** Calls the handler of an event; without a payload that of the app's test_data, else a sample. */
  event(name: string, payload?: Payload): Promise<Invocation>;
  /** Calls a function of the manifest. */
  function(name: string, args?: Payload): Promise<Invocation>;
  /** Handler invocations, oldest first. */
  invocations(filter?: TestInvocationFilter): Promise<readonly Invocation[]>;
  /**
   * Waits until every event is delivered and every handler has ended. Writes each handler that failed to standard error, with its error; to expect
   * failures or their absence, read `invocations`. @units timeout: milliseconds @errors Error
   */
  settled(timeout?: number): Promise<void>;
  readonly clock: TestClock;
  /** Another token of the account: one that may do less, or ends sooner. */
  newToken(wanted?: Partial<NewAccessToken>): Promise<string>;
  /** Injects a fault that lasts until `reset`. */
  fault(fault: NewFault): Promise<Fault>;
  /** Restores the initial data and clock and removes all faults. */
  reset(): Promise<void>;
  /** Saves the current data. -> a function that restores the saved data */
  snapshot(name: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Options of `world`. */
const OPTIONS: Readonly<Record<keyof WorldOptions, true>> = { folder: true, iparams: true, maps: true };

/** Tests in plain JavaScript get no message of a compiler. @errors Error that names the option that is meant */
const checkOptions = (options: object): void => {
  const known = Object.keys(OPTIONS);
  for (const name of Object.keys(options).filter((each) => !known.includes(each))) {
    const meant = similarName(name, known);
    throw new Error(
      `world() has no option '${name}'. ${meant === undefined ? `Its options are ${known.join(", ")}.` : `Use '${meant}'.`}`,
    );
  }
};

/** @units milliseconds */
const SETTLE_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 10;

interface Opened {
  /** Several may use it, one after the other: the initial data of an app is not part of the seed. */
  readonly isShared: boolean;
  readonly announcement: Announcement;
  readonly close: () => Promise<void>;
}

const open = async (folder: string, values: Values | undefined, maps: WorldOptions["maps"]): Promise<Opened> => {
  const joined = maps === undefined ? joinWorld(folder) : undefined;
  if (joined) {
    const { announcement, leave } = joined;
    return { isShared: true, announcement, close: () => Promise.resolve(leave()) };
  }
  const { announcement, stop } = await startInstance({ folder, values, maps: maps ?? {} });
  return { isShared: false, announcement, close: stop };
};

/** Starts an app on a service of its own, or joins the one of `parley test`; talks to it over the wire only. */
export async function world(options: WorldOptions = {}): Promise<World> {
  checkOptions(options);
  const { folder = process.cwd(), iparams = {}, maps } = options;
  const values = iparams === false ? undefined : iparams;
  const { isShared, announcement, close } = await open(folder, values, maps);
  const { service, token, account, apps } = announcement;
  const [app] = apps;
  if (!app) throw new Error(`No app runs for ${folder}.`);
  const key = await instanceAdminKey(announcement);
  const { origin } = new URL(service);
  const ofHost = <T>(method: string, path: string, body?: unknown) =>
    call<T>({ method, url: `${app.app}/admin/${path}`, token: key, body });
  const ofWorld = <T>(method: string, path: string, body?: unknown) =>
    call<T>({ method, url: `${origin}/admin/world/${path}`, token: key, body });
  const load = (name: string) => ofWorld("POST", `snapshots/${encodeURIComponent(name)}/load`);
  const save = (name: string) => ofWorld("PUT", `snapshots/${encodeURIComponent(name)}`);
  const clock = testClock((change) => ofWorld<ClockState>("PUT", "clock", change));

  const install = async (values: Values = {}): Promise<void> => {
    type Answer = { ok: boolean; errors?: Record<string, string>; message?: string };
    const answer = await ofHost<Answer>("POST", "install", { values });
    if (answer.ok) return;
    const fields = Object.entries(answer.errors ?? {}).map(([name, text]) => `${name}: ${text}`);
    throw new Error(`${app.name} can't be installed: ${[answer.message, ...fields].filter(Boolean).join("; ")}`);
  };
  const setAppSettings = async (settings: Readonly<Record<string, string>>): Promise<void> => {
    const answer = await ofHost<AppSettingsAnswer>("POST", "app-settings", { values: settings });
    if (answer.ok) return;
    const faults = Object.entries(answer.errors).map(([key, text]) => `${key}: ${text}`);
    throw new Error(`App settings of ${app.name} can't be set: ${[answer.message, ...faults].join("; ")}`);
  };
  const invocations = async (filter: TestInvocationFilter = {}): Promise<readonly Invocation[]> => {
    const query = new URLSearchParams(
      Object.entries({ limit: 1_000, ...filter }).map(([name, value]) => [name, String(value)]),
    ).toString();
    return (await ofHost<{ invocations: readonly Invocation[] }>("GET", `invocations?${query}`)).invocations;
  };
  /** Ids of failed invocations that the test knows. */
  const knownFailures = new Set<string>();
  const noted = (invocation: Invocation): Invocation => {
    if (!invocation.ok) knownFailures.add(invocation.id);
    return invocation;
  };
  const reportFailures = async (): Promise<void> => {
    const failures = (await invocations({ ok: false })).filter(({ id }) => !knownFailures.has(id));
    for (const { event, handler, error = "" } of failures.map(noted))
      process.stderr.write(`${app.name}: ${handler} failed on ${event}: ${error}\n`);
  };
  const settled = async (timeout = SETTLE_TIMEOUT_MS): Promise<void> => {
    for (const begun = performance.now(); ;) {
      const { events, schedules } = await ofHost<HostActivity>("GET", "activity");
      if (events === 0 && !schedules) return reportFailures();
      if (performance.now() - begun > timeout) {
        const failed = (await invocations({ ok: false })).at(-1);
        throw new Error(
          `Not settled after ${timeout} ms: ${events} events are still to come${failed ? `; ${failed.handler} failed: ${failed.error ?? ""}` : ""}.`,
        );
      }
      await setTimeout(POLL_INTERVAL_MS);
    }
  };
  const reset = async () => {
    await ofWorld("POST", "reset");
    if (isShared && values) await install(values);
  };
  if (isShared)
    await reset().catch(async (error: unknown) => {
      await close();
      throw error;
    });

  return {
    url: service,
    token,
    account,
    page: app.app,
    installPage: app.installPage,
    api: testApi(service, token),
    install,
    setAppSettings,
    uninstall: () => ofHost("POST", "uninstall"),
    event: async (event, payload) =>
      noted(await ofHost<Invocation>("POST", "events", { event, ...(payload ? { payload } : {}) })),
    function: async (name, args) =>
      noted(await ofHost<Invocation>("POST", "functions", { name, ...(args ? { args } : {}) })),
    invocations,
    settled,
    clock,
    async newToken(wanted) {
      const path = `${origin}/admin/accounts/${encodeURIComponent(account)}/tokens`;
      const body: NewAccessToken = { name: "test", ...wanted };
      return (await call<{ token: string }>({ method: "POST", url: path, token: key, body })).token;
    },
    fault: (fault) => ofWorld("POST", "faults", fault),
    reset,
    async snapshot(name) {
      await save(name);
      return async () => void (await load(name));
    },
    close,
  };
}
