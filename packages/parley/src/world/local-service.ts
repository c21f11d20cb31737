import { join } from "node:path";
import { SEED_SNAPSHOT, type ClockState } from "@parley/contract";
import type { Database } from "@parley/database";
import type { FaultInjector } from "@parley/framework";
import {
  startStandaloneAdmin,
  realPorts,
  serviceConfig,
  startService,
  type AdminApi,
  type ObserveReply,
  type Ports,
} from "@parley/service";
import { worldClock } from "./clock/clock.ts";
import { openDataSwap, type SwapFollower } from "./snapshot/data-swap.ts";
import { worldFaults, earlyRefusals } from "./fault/faults.ts";
import { openTrafficGate } from "./snapshot/traffic-gate.ts";
import { heldTokens } from "./held-tokens.ts";
import { worldPorts, type DeterministicSeed } from "./clock/ports.ts";
import { worldRoutes } from "./routes.ts";
import { createSeeder } from "./seed/seeder.ts";
import { openSnapshots } from "./snapshot/snapshots.ts";

export type { SwapFollower as Follower, DeterministicSeed as Still };

interface LocalServiceOptions {
  readonly database: Database;
  /** 0: any free one. */
  readonly port: number;
  readonly adminKey: string;
  readonly dataFolder: string;
  /** Where the settings name no other. */
  readonly objectsFolder: string;
  /** Ids, secrets and the clock the same in each run; after each reset they go on from where they were at the seed. */
  readonly still?: DeterministicSeed | undefined;
  /** Hears of every answer. */
  readonly observe?: ObserveReply | undefined;
  readonly log: (line: string) => void;
}

/** The service of a local instance, and its world: clock, faults, snapshots. */
export interface LocalService {
  readonly port: number;
  /** Of the service as it is now: a reset makes another one. Tokens issued or found valid before the seed outlive it. */
  readonly admin: AdminApi;
  /** Time, ids and secrets as the world has them: for the app host too. */
  readonly ports: Ports;
  /** What goes wrong with the app's own requests: for the app host. */
  readonly faults: FaultInjector;
  /** How the clock goes, for an announcement where that is not the machine's. */
  readonly clock: () => ClockState;
  readonly follow: (follower: SwapFollower) => void;
  /**
   * Saves what a reset returns to, where nothing is saved yet: to be called when the instance is as it should begin.
   * @assumed Held still, an instance that has a seed begins with it.
   */
  readonly ensureSeed: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Calls an hour that nobody makes. */
const UNCOUNTED = 1_000_000_000;

/** @errors what listening on the port failed with */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { database, adminKey, dataFolder, still, observe, log } = options;
  const config = serviceConfig();
  const objectsFolder = config.objectsFolder ?? options.objectsFolder;
  const clock = worldClock(realPorts, still?.at);
  const sources = worldPorts(realPorts, clock, still);
  const [ports, appPorts] = [sources.of("service"), sources.of("app")];
  const faults = worldFaults(sources.of("faults"));
  const trouble = earlyRefusals();
  const tokens = heldTokens();

  const gate = await openTrafficGate({ port: options.port, faults: faults.incoming, refuse: trouble.plan });
  const { port } = gate;
  const same = { database, adminKey, objectsFolder, secretsFolder: dataFolder, isLocal: true, ports, observe, log };
  const begin = () => startService({ ...same, port, config, listens: false, trouble: trouble.of });
  const beginAside = () =>
    startService({ ...same, port: 0, config: { ...config, callsPerHour: UNCOUNTED }, isMute: true });
  try {
    const folder = join(dataFolder, "snapshots");
    const snapshots = await openSnapshots({
      database,
      folder,
      objects: objectsFolder,
      now: realPorts.now,
      place: () => sources.place(),
    });
    const exchange = await openDataSwap({
      gate,
      snapshots,
      clock,
      faults,
      sources,
      begin,
      beginAside,
      tokens: tokens.hashes,
    });
    const { seed, progress } = createSeeder({ clock, exchange, adminKey });
    const slice = worldRoutes({ clock, faults, snapshots, exchange, seed, progress });
    const aside = await startStandaloneAdmin({
      adminKey,
      place: "/admin/world",
      name: "world",
      slice,
      now: clock.now,
      observe,
      log,
    });
    gate.addAside(aside);

    return {
      port,
      get admin() {
        return tokens.holding(exchange.service().admin);
      },
      ports: appPorts,
      faults: faults.outgoing,
      clock: clock.state,
      follow: exchange.follow,
      async ensureSeed() {
        tokens.enough();
        if (await snapshots.has(SEED_SNAPSHOT)) {
          if (still) await exchange.reset();
          return;
        }
        await exchange.save(SEED_SNAPSHOT);
        sources.goTo(undefined);
      },
      async close() {
        await exchange.close();
        await aside.close();
      },
    };
  } catch (error) {
    await gate.close();
    throw error;
  }
}
