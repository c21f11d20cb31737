import { migrate, openVault, type Database, type Pool, type Vault } from "@parley/database";
import { isHeldElsewhere } from "../../model/held-elsewhere.ts";
import { egress, type FaultInjector, type HostOverrides } from "@parley/egress";
import { NO_METRICS, openMetricsScope, type Log, type Metrics } from "@parley/telemetry";
import { APP_MIGRATIONS, APP_SCHEMA } from "../../state/db/migrations.ts";
import { builtText } from "../../environment/assets.ts";
import { secretsKey } from "../../environment/config.ts";
import { realHostPorts, type HostPorts } from "../../environment/ports.ts";
import type { HostSettings } from "../../environment/settings.ts";
import type { RunConsents } from "../../state/consents.ts";
import { createBundler, type Bundler } from "../../package/bundler/bundler.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import { observeCalls, observeRequests, reportProcesses, type ObserveRequest } from "./platform-metrics.ts";
import { createProcessPool } from "../../runtime/process/process-pool.ts";
import { createLauncher, type LaunchProgram } from "../../runtime/process/process-link.ts";
import { createScheduler, type Scheduler } from "../../runtime/triggers/scheduler.ts";
import { scheduleStore } from "../../state/schedules.sql.ts";
import { findBoundary, type Boundary } from "../../sandbox/boundary.ts";
import type { AppUnit, SharedUnitDeps } from "../../unit/app-unit.ts";
import { createTrafficGate, type TrafficGate } from "./traffic-gate.ts";
import { createRequestForwarding, type RequestForwarding } from "./forwarding.ts";
import { createInstallationLeases, type InstallationLeases } from "../leases/leases.ts";
import { installationLeaseStore } from "../leases/store.ts";

interface PlatformRuntimeOptions {
  readonly database: Database;
  /** Folder of the key that encrypts secure parameters. */
  readonly dataFolder: string;
  /** Isolation of apps' code; the strongest that this machine supports when absent. */
  readonly boundary?: Boundary | undefined;
  /** Origins of hosts that are reached locally. */
  readonly routes: HostOverrides;
  readonly faults?: FaultInjector | undefined;
  readonly domainSuffix: string;
  readonly consentsOfRun?: RunConsents | undefined;
  readonly isCoverageMeasured?: boolean | undefined;
  readonly targetOrigin: () => string;
  readonly targetHosts: readonly string[];
  readonly trustProxy?: boolean | string[] | undefined;
  readonly settings: HostSettings;
  readonly ports: HostPorts;
  readonly metrics?: Metrics | undefined;
  readonly log: Log;
  /** Called as soon as apps' files can be bundled, while the data is still prepared. */
  readonly warm?: (bundler: Bundler) => void;
}

/** The parts that run apps in one process of the platform: isolation, leases, schedules and outgoing requests. */
export interface PlatformRuntime {
  readonly boundary: Boundary;
  readonly launch: LaunchProgram;
  readonly program: string;
  readonly pool: Pool;
  /** Connections that are held during changes of installations. */
  readonly locks: Pool;
  readonly vault: Vault;
  readonly shared: SharedUnitDeps;
  readonly leases: InstallationLeases;
  readonly forwarding: RequestForwarding;
  readonly gate: TrafficGate;
  readonly scheduler: Scheduler;
  /** Is called with each request to the port of the platform. */
  readonly observeRequest: ObserveRequest;
  /** Adds an app that is read from a folder, on an account. */
  addLive(unit: AppUnit): void;
  /** The unit of an app that is read from a folder. */
  liveOf(owner: RecordOwner): AppUnit | undefined;
  /** Serves published apps: opens the unit of an installation. */
  servePublished(published: PublishedRuntime): void;
  /**
   * -> the unit that owns the data, in a version that the account can install; undefined when this platform does not serve it
   * @shape version: the installed one when absent
   */
  unitOf(owner: RecordOwner, version?: string): Promise<AppUnit | undefined>;
  /** Registers this process and starts firing schedules. @shape address: origin for other processes of the platform */
  start(address: string): Promise<void>;
  /** Stops background work, waits up to two seconds for calls in progress, and holds requests until `resume`. */
  pause(): Promise<void>;
  /** Continues with the present data. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** The published apps of a platform. */
export interface PublishedRuntime {
  openOffered(owner: RecordOwner, version: string | undefined): Promise<AppUnit | undefined>;
  /** The units that are open. */
  units(): readonly AppUnit[];
}

const ownerKey = ({ project, account }: RecordOwner): string => `${project}/${account}`;

/** Interval at which leases without work are given up. @units milliseconds */
const SWEEP_INTERVAL_MS = 10_000;
/** Maximum time that a change of an installation waits for other changes: some handlers of installations at their time limit. @units milliseconds */
const CHANGE_WAIT_MS_MAX = 60_000;
/** @units milliseconds */
const LEASE_IDLE_MS = 90_000;

/** Prepares what runs apps. @errors IsolationMissing; errors of the database or the data folder */
export async function createPlatformRuntime(options: PlatformRuntimeOptions): Promise<PlatformRuntime> {
  const { database, settings, ports, log } = options;
  const { metrics, end: endGauges } = openMetricsScope(options.metrics ?? NO_METRICS);
  const confined = async () => {
    const boundary = options.boundary ?? (await findBoundary());
    const bundler = createBundler(boundary);
    // Runs while the data is prepared.
    options.warm?.(bundler);
    return { boundary, bundler };
  };
  const [vault, program, { boundary, bundler }] = await Promise.all([
    openVault(options.dataFolder, ports.random, secretsKey()),
    builtText("child.cjs"),
    confined(),
    migrate(database, APP_SCHEMA, APP_MIGRATIONS),
  ]);
  const pool = database.pool(APP_SCHEMA);
  const locks = database.pool(APP_SCHEMA, { acquireTimeoutMs: CHANGE_WAIT_MS_MAX });
  const launch = createLauncher(boundary, options.isCoverageMeasured);
  const processPool = createProcessPool({ launch, program, settings, metrics, log });
  const outgoing = egress({ hosts: options.routes, faults: options.faults });
  const gate = createTrafficGate();
  const live = new Map<string, AppUnit>();
  let published: PublishedRuntime | undefined;
  let address = "";
  let sweep: NodeJS.Timeout | undefined;

  const openUnits = (): readonly AppUnit[] => [...live.values(), ...(published?.units() ?? [])];
  const leases = createInstallationLeases({
    store: installationLeaseStore(pool),
    newId: realHostPorts.newId,
    lost: () => {
      for (const unit of openUnits()) void unit.engine.endProcesses();
    },
    log,
  });
  const unitOf = async (owner: RecordOwner, version?: string): Promise<AppUnit | undefined> =>
    live.get(ownerKey(owner)) ?? (await published?.openOffered(owner, version));

  reportProcesses({ metrics, processPool });
  const scheduler = createScheduler({
    ...ports,
    store: scheduleStore(pool),
    served: () => ({
      live: [...live.values()].map(({ engine }) => engine.owner),
      published: published !== undefined,
      process: leases.processId(),
    }),
    async withInstallation(owner, work) {
      const scheduled = await (await unitOf(owner))?.scheduled();
      return scheduled && leases.whileHeld(scheduled.installation.id, () => work(scheduled));
    },
    isHeldElsewhere,
    log,
    settings,
  });
  const shared: SharedUnitDeps = {
    pool,
    vault,
    program,
    launch,
    processPool,
    settings,
    ports,
    observeCall: observeCalls(metrics),
    log,
    outgoing,
    routes: options.routes,
    domainSuffix: options.domainSuffix,
    consentsOfRun: options.consentsOfRun,
    targetOrigin: options.targetOrigin,
    whileHeld: (installation, work) => leases.whileHeld(installation, work),
    schedulesChanged: () => scheduler.wake(),
    bundler,
    targetHosts: options.targetHosts,
    trustProxy: options.trustProxy,
  };
  const start = async () => {
    await leases.start(address);
    scheduler.start();
    sweep = setInterval(() => void leases.releaseIdle(LEASE_IDLE_MS), SWEEP_INTERVAL_MS).unref();
  };
  const stop = async () => {
    clearInterval(sweep);
    const stopped = scheduler.stop();
    await Promise.all(openUnits().map((unit) => unit.stop()));
    await stopped;
    await leases.stop();
  };

  return {
    boundary,
    launch,
    program,
    pool,
    locks,
    vault,
    shared,
    leases,
    forwarding: createRequestForwarding(vault),
    gate,
    scheduler,
    observeRequest: observeRequests(metrics),
    addLive: (unit) => void live.set(ownerKey(unit.engine.owner), unit),
    liveOf: (owner) => live.get(ownerKey(owner)),
    servePublished: (wanted) => void (published = wanted),
    unitOf,
    async start(own) {
      address = own;
      await start();
    },
    async pause() {
      gate.shut();
      await stop();
    },
    async resume() {
      await start();
      gate.open();
    },
    async close() {
      await stop();
      await Promise.all(openUnits().map((unit) => unit.close()));
      endGauges();
      bundler.close();
      await processPool.close();
      await outgoing.close();
      await Promise.all([pool.end(), locks.end()]);
    },
  };
}
