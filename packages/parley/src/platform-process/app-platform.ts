import { setTimeout } from "node:timers/promises";
import type { KeyPermissions } from "@parley/framework";
import type { Log, MetricsSnapshot } from "@parley/telemetry";
import { CommandFailure } from "../environment/failure.ts";
import type { LocalService } from "../test-environment/local-service.ts";
import { forkPlatformProcess, PlatformProcessEnded, type PlatformProcess } from "./process-handle.ts";
import type { AppHostSettings, HostId, InstallResult, PlatformSettings, StartedHost } from "./protocol.ts";

/** Requests of an app host to the instance. */
interface AppHostHooks {
  readonly appKey: (app: string, needed: KeyPermissions) => Promise<string>;
  /** -> number of undelivered events */
  readonly eventsToCome: () => Promise<number>;
  /** Subscribes the host to events. Called after each start of the host and after the data was replaced. -> the secret that signs them */
  readonly subscribe: (host: StartedHost) => Promise<string>;
}

/** An app host in the platform process. */
export interface PlatformHost extends StartedHost {
  isInstalled(): Promise<boolean>;
  /** The address and key of the local account are filled in for parameters that take them. */
  install(values: Readonly<Record<string, unknown>>): Promise<InstallResult>;
}

interface HostRecord {
  readonly id: HostId;
  readonly settings: AppHostSettings;
  readonly hooks: AppHostHooks;
  started?: StartedHost;
}

/** Runs the app hosts of an instance in one process of their own, and starts the process again when it dies. */
export interface AppPlatform {
  /** Connects the process to the database and to the instance's clock, faults and data. */
  connect(settings: PlatformSettings, service: Pick<LocalService, "environment" | "faults" | "follow">): Promise<void>;
  /** @errors those of `startAppHost`; CommandFailure when the process ends */
  startHost(settings: AppHostSettings, hooks: AppHostHooks): Promise<PlatformHost>;
  /** -> the metrics of the process; empty while it is started again */
  metrics(): Promise<readonly MetricsSnapshot[]>;
  /** From now on the process is started again when it ends. */
  keepRunning(): void;
  close(): Promise<void>;
}

/** First and maximum delay of a restart, and the lifetime after which the process counts as healthy. @units milliseconds */
const RESTART_DELAY = { firstMs: 100, maxMs: 5_000, healthyAfterMs: 10_000 };
/** How long the process may take to close. @units milliseconds */
const CLOSE_TIMEOUT_MS = 3_500;

/**
 * Starts the process. States: starting (its end fails the start), kept (its end restarts it), closing.
 * While the data is replaced the process is paused and not restarted.
 */
export function startAppPlatform(log: Log): AppPlatform {
  const hosts: HostRecord[] = [];
  const closing = new AbortController();
  let connection: Parameters<AppPlatform["connect"]> | undefined;
  let pausing: { readonly over: Promise<void>; end(): void } | undefined;
  /** Restart in progress. */
  let attempt: Promise<void> = Promise.resolve();

  const hooksOf = (id: HostId): AppHostHooks => {
    const record = hosts.find((host) => host.id === id);
    if (!record) throw new Error(`there is no app host ${id}`);
    return record.hooks;
  };
  const fork = () =>
    forkPlatformProcess({
      appKey: (id, app, needed) => hooksOf(id).appKey(app, needed),
      eventsToCome: (id) => hooksOf(id).eventsToCome(),
      takeFault: (request) => connection?.[1].faults(request),
      log,
    });
  let current: PlatformProcess = fork();

  const open = async (process: PlatformProcess) => {
    if (!connection) return;
    const [settings, { environment }] = connection;
    // Sent together: the process handles messages in order.
    const opened = process.call("open", settings);
    process.notify("setEnvironment", environment.state());
    await opened;
  };
  const subscribe = async (process: PlatformProcess, { id, hooks, started }: HostRecord) => {
    if (started) await process.call("setEventSecret", id, await hooks.subscribe(started));
  };
  const start = async (process: PlatformProcess, record: HostRecord): Promise<StartedHost> => {
    const port = record.started?.port ?? record.settings.port;
    record.started = await process.call("startHost", record.id, { ...record.settings, port });
    await subscribe(process, record);
    return record.started;
  };
  const failDuringStart = (error: unknown): never => {
    if (!(error instanceof PlatformProcessEnded)) throw error;
    throw new CommandFailure(
      `The process of the apps ended during the start (${(error as Error).message}). Start again; if this happens again, check that the machine has enough memory.`,
    );
  };

  const restart = async (process: PlatformProcess): Promise<void> => {
    await open(process);
    for (const record of hosts) await start(process, record);
    log("The process of the apps runs again.");
  };

  const restartLoop = async (): Promise<void> => {
    let delayMs = RESTART_DELAY.firstMs;
    let began = performance.now();
    for (;;) {
      const reason = await current.ended;
      if (closing.signal.aborted) return;
      const isHealthy = performance.now() - began > RESTART_DELAY.healthyAfterMs;
      delayMs = isHealthy ? RESTART_DELAY.firstMs : Math.min(delayMs * 2, RESTART_DELAY.maxMs);
      log(`The process of the apps ended (${reason}); it is started again in ${delayMs} ms.`, { level: "error" });
      connection?.[1].environment.sequence.skip();
      await setTimeout(delayMs, undefined, { signal: closing.signal }).catch(() => undefined);
      while (pausing) await pausing.over;
      if (closing.signal.aborted) return;
      began = performance.now();
      const process = fork();
      current = process;
      attempt = restart(process).catch((error: unknown) => {
        if (!closing.signal.aborted)
          log(`The apps could not be started again: ${(error as Error).message.split("\n", 1)[0]}`, { level: "error" });
        process.kill();
      });
      await attempt;
    }
  };

  /** Ignores a failure that is due to the end of the process. */
  const unlessEnded = async <T>(process: PlatformProcess, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return process.isRunning() ? await work() : undefined;
    } catch (error) {
      if (error instanceof PlatformProcessEnded) return undefined;
      throw error;
    }
  };

  const follower = {
    async pause() {
      let end = (): void => undefined;
      const over = new Promise<void>((resolve) => (end = resolve));
      pausing = { over, end };
      await attempt;
      const process = current;
      const step = await unlessEnded(process, () => process.call("pause"));
      connection?.[1].environment.sequence.report(step);
    },
    async resume() {
      await connection?.[1].environment.applied();
      const process = current;
      await unlessEnded(process, async () => {
        // The loaded data may contain a subscription of an earlier start with another address.
        for (const record of hosts) await subscribe(process, record);
        await process.call("resume");
      });
      pausing?.end();
      pausing = undefined;
    },
  };

  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    const process = current;
    const timeout = new AbortController();
    const limit = setTimeout(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([
      process.call("close").then(
        () => process.ended,
        () => undefined,
      ),
      limit,
    ]);
    timeout.abort();
    process.kill();
    await process.ended;
  };

  return {
    async connect(...next) {
      connection = next;
      const [, { environment, follow }] = next;
      environment.follow((state) => current.call("setEnvironment", state));
      follow(follower);
      await open(current).catch(failDuringStart);
    },
    async startHost(settings, hooks) {
      const record: HostRecord = { id: hosts.length, settings, hooks };
      hosts.push(record);
      const started = await start(current, record).catch((error: unknown) => {
        hosts.pop();
        return failDuringStart(error);
      });
      return {
        ...started,
        isInstalled: () => current.call("isInstalled", record.id).catch(failDuringStart),
        install: (values) => current.call("install", record.id, values).catch(failDuringStart),
      };
    },
    metrics: async () => (await unlessEnded(current, () => current.call("metrics"))) ?? [],
    keepRunning: () => void restartLoop(),
    close: () => (closed ??= close()),
  };
}
