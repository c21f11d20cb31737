import { joinDatabase, type Database } from "@parley/database";
import { startAppHost, type AppHost } from "@parley/framework";
import { realPorts } from "@parley/service/ports";
import type { Log, MetricRegistry } from "@parley/telemetry";
import { collectWhenIdle } from "../environment/heap.ts";
import { processMetrics } from "../metrics/instance-metrics.ts";
import { followingClock } from "../test-environment/clock/clock.ts";
import { followingPorts } from "../test-environment/clock/ports.ts";
import { createIpcLink } from "./ipc-link.ts";
import type {
  HostId,
  AppHostSettings,
  InstanceCalls,
  PlatformCalls,
  PlatformSettings,
  StartedHost,
} from "./protocol.ts";

const post = (message: unknown): void => {
  if (process.connected) process.send?.(message, undefined, {}, () => undefined);
};

interface HostEntry {
  host?: AppHost;
  eventSecret: string;
}

/** Runs app hosts for the process of the instance. Resolves when that process asks to end. -> the exit status */
export async function runPlatformProcess(): Promise<number> {
  collectWhenIdle();
  const hosts = new Map<HostId, HostEntry>();
  let settings: PlatformSettings | undefined;
  let opened: Promise<Database> | undefined;
  let hasAppFaults = false;
  let registry: MetricRegistry | undefined;
  const clock = followingClock(realPorts);
  let sequence = followingPorts("app", realPorts, clock);

  const log: Log = (message, fields) => link.notify("log", message, fields);

  const entryOf = (id: HostId): HostEntry => {
    const entry = hosts.get(id) ?? { eventSecret: "" };
    hosts.set(id, entry);
    return entry;
  };
  const hostOf = (id: HostId): AppHost => {
    const { host } = entryOf(id);
    if (!host) throw new Error("the app host has not started");
    return host;
  };
  const running = () => [...hosts.values()].flatMap(({ host }) => host ?? []);
  const all = async (work: (host: AppHost) => Promise<void>) => {
    await Promise.all(running().map(work));
  };

  const startHost = async (id: HostId, { service, ...options }: AppHostSettings): Promise<StartedHost> => {
    if (!opened || !settings) throw new Error("the database is not open");
    const entry = entryOf(id);
    const host = await startAppHost({
      ...options,
      database: await opened,
      dataFolder: settings.dataFolder,
      eventSecret: () => entry.eventSecret,
      service: { ...service, token: () => service.token },
      appKey: (app, needed) => link.call("appKey", id, app, needed),
      // The instance is asked only while there are faults, because each request of an app waits for the answer.
      faults: (request) => (hasAppFaults ? link.call("takeFault", request) : undefined),
      // The test environment sets the time of day, not the age of cached answers.
      ports: { ...sequence.ports, monotonicMs: realPorts.monotonicMs, handlerClock: clock.setting },
      ...(registry && { metrics: registry }),
      otherLiveApps: () => running().flatMap((other) => (other === entry.host ? [] : other.liveApp())),
      eventsToCome: () => link.call("eventsToCome", id),
      log,
    });
    entry.host = host;
    const { name, manifest } = host.project();
    const places = Object.values(manifest.modules).flatMap(({ location = {} }) => Object.keys(location));
    return { port: host.port, name, places };
  };

  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const link = createIpcLink<PlatformCalls, InstanceCalls>(post, {
    async open(next) {
      settings = next;
      const { dataFolder, databaseUrl: url, seed } = next;
      if (next.isMeasured) registry = await processMetrics("platform-1", log);
      sequence = followingPorts("app", realPorts, clock, seed === undefined ? undefined : { seed });
      opened = joinDatabase({ dataFolder, url, log });
      await opened;
    },
    setEnvironment(state) {
      // The sequence is moved before the listeners of the clock draw from it.
      sequence.set(state.sequence);
      ({ hasAppFaults } = state);
      clock.set(state.clock);
    },
    startHost,
    metrics: async () => (registry ? [await registry.snapshot()] : []),
    setEventSecret: (id, secret) => void (entryOf(id).eventSecret = secret),
    isInstalled: async (id) => (await hostOf(id).installation()) !== undefined,
    install: (id, values) => hostOf(id).installOnOwn(values),
    async pause() {
      await all((host) => host.pause());
      return sequence.step();
    },
    resume: () => all((host) => host.resume()),
    async close() {
      for (const host of running().toReversed()) await host.close().catch(() => undefined);
      await opened?.then((database) => database.close()).catch(() => undefined);
      end();
    },
  });

  // Signals of the terminal or of a process group reach all processes: the instance's process decides when this one ends.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => undefined);
  process.on("message", (message) => link.receive(message));
  // The instance's process was killed. The processes of the apps and the database's connections end with this process.
  process.once("disconnect", () => process.exit(1));
  if (!process.connected) return 1;
  await ended;
  return 0;
}
