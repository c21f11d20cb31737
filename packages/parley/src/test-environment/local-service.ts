import { join } from "node:path";
import {
  hashOf,
  type AdminApi,
  startStandaloneAdmin,
  realPorts,
  serviceConfig,
  startService,
  type ObserveReply,
} from "@parley/service";
import { CONSOLE_FOLDER, SIGN_IN_FOLDER } from "@parley/console";
import { SEED_SNAPSHOT, type ClockState } from "@parley/contract";
import type { Database } from "@parley/database";
import { appAccountData } from "@parley/framework/operation";
import type { FaultInjector } from "@parley/framework";
import { PANEL_FOLDER, WIDGET_FILE } from "@parley/messenger";
import type { ObjectsConfig } from "@parley/service/objects";
import type { Log, Metrics } from "@parley/telemetry";
import { CommandFailure } from "../environment/failure.ts";
import { useServerOptions } from "../environment/heap.ts";
import { openAppEnvironment, type AppEnvironment } from "./app-environment.ts";
import { createAdjustableClock } from "./clock/clock.ts";
import { openDataSwap, type SwapFollower } from "./snapshot/data-swap.ts";
import { createInjectedFaults, earlyRefusals } from "./fault/faults.ts";
import { openInstanceGate } from "./snapshot/instance-gate.ts";
import { createInstancePorts, type DeterministicInputs } from "./clock/ports.ts";
import { testEnvironmentRoutes } from "./routes.ts";
import { createSeeder } from "./seed/seeder.ts";
import { openSnapshots } from "./snapshot/snapshots.ts";

/** Records the tokens that the instance itself uses, which have to stay valid when its data is replaced. */
const instanceTokens = () => {
  const hashes = new Set<string>();
  let isStopped = false;
  const record = (token: string) => {
    if (!isStopped) hashes.add(hashOf(token).toString("hex"));
  };
  return {
    /** @shape hex */
    hashes: (): readonly string[] => [...hashes],
    /** Stops recording: later tokens belong to the data. */
    stopRecording: () => void (isStopped = true),
    /** Wraps an admin API so that tokens that are issued, renewed or found valid are recorded. */
    recording: (admin: AdminApi): AdminApi => ({
      ...admin,
      async issueToken(options) {
        const issued = await admin.issueToken(options);
        record(issued.token);
        return issued;
      },
      async isValidToken(token) {
        const isValid = await admin.isValidToken(token);
        if (isValid) record(token);
        return isValid;
      },
      async renewToken(token, to) {
        const isRenewed = await admin.renewToken(token, to);
        if (isRenewed) record(token);
        return isRenewed;
      },
    }),
  };
};

export type { DeterministicInputs } from "./clock/ports.ts";

interface LocalServiceOptions {
  readonly database: Database;
  /** 0: any free port. */
  readonly port: number;
  readonly adminKey: string;
  readonly dataFolder: string;
  /** Default, when the settings name no other folder. */
  readonly objectsFolder: string;
  /** Origin of the platform of apps, once it is known. */
  readonly platformOrigin?: () => string | undefined;
  /** Generates the same ids and secrets in each run, with a frozen clock; after a reset the sequences resume at their position of the seed. */
  readonly deterministic?: DeterministicInputs | undefined;
  /** Called with every response. */
  readonly observeReply?: ObserveReply | undefined;
  /** Waits for the time of a latency fault. @units milliseconds */
  readonly delay?: ((ms: number) => Promise<unknown>) | undefined;
  readonly metrics?: Metrics;
  readonly log: Log;
}

/** The service of a local instance, with its clock, faults and snapshots. */
export interface LocalService {
  readonly port: number;
  /** Admin API of the current service: a reset starts a new service. Tokens that were issued or found valid before the seed survive a reset. */
  readonly admin: AdminApi;
  /** Clock, ids and faults of the instance, for the process of the app hosts. */
  readonly environment: AppEnvironment;
  /** Faults of the apps' own requests. */
  readonly faults: FaultInjector;
  /** State of the clock. */
  readonly clock: () => ClockState;
  readonly follow: (follower: SwapFollower) => void;
  /**
   * Saves the seed that a reset returns to, unless a seed was saved before. To be called when the initial data is complete.
   * @assumed A deterministic instance (`--still`) that has a seed is reset to it at its start.
   */
  readonly ensureSeed: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Call limit that is never reached. @units calls an hour */
const UNLIMITED_CALLS_PER_HOUR = 1_000_000_000;

/** Snapshots contain the files of a folder. @errors CommandFailure for a bucket, or for objects in two places */
const localFolder = ({ place, previous }: ObjectsConfig = {}): string | undefined => {
  if (place?.kind === "bucket" || previous)
    throw new CommandFailure(
      "An instance for development keeps uploads in one folder. Set PARLEY_OBJECTS to a folder and unset PARLEY_OBJECTS_PREVIOUS, or use npx parley serve.",
    );
  return place?.folder;
};

/** @errors CommandFailure for uploads in a bucket; errors of listening on the port */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { database, adminKey, dataFolder, deterministic, observeReply, log } = options;
  useServerOptions();
  const config = serviceConfig();
  const objectsFolder = localFolder(config.objects) ?? options.objectsFolder;
  const clock = createAdjustableClock(realPorts, deterministic?.at);
  const instancePorts = createInstancePorts(realPorts, clock, deterministic);
  const ports = instancePorts.of("service");
  const faults = createInjectedFaults(instancePorts.of("faults"));
  const environment = openAppEnvironment({ clock, faults, instancePorts });
  const refusals = earlyRefusals();
  const tokens = instanceTokens();

  const gate = await openInstanceGate({
    port: options.port,
    faults: faults.incoming,
    refuse: refusals.plan,
    delay: options.delay,
  });
  const { port } = gate;
  const sharedOptions = {
    database,
    adminKey,
    objectsFolder,
    secretsFolder: dataFolder,
    accountData: [appAccountData],
    consoleFolder: CONSOLE_FOLDER,
    signInFolder: SIGN_IN_FOLDER,
    messengerFiles: { panelFolder: PANEL_FOLDER, scriptFile: WIDGET_FILE },
    isLocal: true,
    platformOrigin: options.platformOrigin,
    ports,
    observe: observeReply,
    // Resets and imports take their time, and an instance for development shares its machine.
    slowRequestMs: Infinity,
    log,
  };
  const startMain = () =>
    startService({
      ...sharedOptions,
      ...(options.metrics && { metrics: options.metrics }),
      port,
      config,
      listens: false,
      earlyRefusal: refusals.of,
    });
  const startSeparate = () =>
    startService({
      ...sharedOptions,
      port: 0,
      config: { ...config, callsPerHour: UNLIMITED_CALLS_PER_HOUR },
      isDispatchDisabled: true,
    });
  try {
    const folder = join(dataFolder, "snapshots");
    const snapshots = await openSnapshots({
      database,
      folder,
      objects: objectsFolder,
      now: realPorts.now,
      position: () => instancePorts.position(),
    });
    const dataSwap = await openDataSwap({
      gate,
      snapshots,
      clock,
      faults,
      instancePorts,
      startMain,
      startSeparate,
      tokens: tokens.hashes,
    });
    const { seed, progress } = createSeeder({ clock, dataSwap, adminKey });
    const slice = testEnvironmentRoutes({
      clock,
      faults,
      snapshots,
      dataSwap,
      seed,
      progress,
      applied: () => environment.applied(),
    });
    const testEnvironmentAdmin = await startStandaloneAdmin({
      adminKey,
      basePath: "/admin/world",
      name: "world",
      slice,
      now: clock.now,
      observe: observeReply,
      log,
    });
    gate.setExemptRoute(testEnvironmentAdmin);

    return {
      port,
      get admin() {
        return tokens.recording(dataSwap.service().admin);
      },
      environment,
      faults: faults.outgoing,
      clock: clock.state,
      follow: dataSwap.follow,
      async ensureSeed() {
        tokens.stopRecording();
        if (await snapshots.has(SEED_SNAPSHOT)) {
          if (deterministic) await dataSwap.reset();
          return;
        }
        await dataSwap.save(SEED_SNAPSHOT);
        instancePorts.resumeAt(undefined);
        await environment.applied();
      },
      async close() {
        await dataSwap.close();
        await testEnvironmentAdmin.close();
      },
    };
  } catch (error) {
    await gate.close();
    throw error;
  }
}
