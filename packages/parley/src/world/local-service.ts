import type { ClockState } from "@parley/contract";
import type { Database } from "@parley/database";
import type { Faults } from "@parley/framework";
import { realPorts, startService, type Admin, type Ports } from "@parley/service";
import { worldClock } from "./clock/clock.ts";
import { worldFaults } from "./fault/faults.ts";
import { worldPorts, type Still } from "./ports.ts";

/** What a reset or a loaded snapshot has to start anew beside the service: an app host. */
export interface Follower {
  /** Called before the data is exchanged, while the service still answers: nothing may be under way after it. */
  pause(): Promise<void>;
  /** Called after it, when the service answers again. */
  resume(): Promise<void>;
}

export interface LocalServiceOptions {
  readonly database: Database;
  /** 0: any free one. */
  readonly port: number;
  readonly adminKey: string;
  readonly dataFolder: string;
  readonly objectsFolder: string;
  /** Ids, secrets and the clock the same in each run; after a reset they begin anew. */
  readonly still?: Still | undefined;
  readonly log: (line: string) => void;
}

/** The service of a local instance, and its world: clock, faults, snapshots. */
export interface LocalService {
  readonly port: number;
  /** Of the service as it is now: a reset makes another one. */
  readonly admin: Admin;
  /** Time, ids and secrets as the world has them: for the app host too. */
  readonly ports: Ports;
  /** What goes wrong with the app's own requests: for the app host. */
  readonly faults: Faults;
  /** How the clock goes, for an announcement where that is not the machine's. */
  clock(): ClockState;
  follow(follower: Follower): void;
  /** Saves what a reset returns to, where nothing is saved yet: to be called when the instance is as it should begin. */
  ensureSeed(): Promise<void>;
  close(): Promise<void>;
}

/** @errors what listening on the port failed with */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { database, port, adminKey, objectsFolder, still, log } = options;
  const clock = worldClock(realPorts, still?.at);
  const sources = worldPorts(realPorts, clock, still);
  const faults = worldFaults(sources.of("faults"));
  const followers: Follower[] = [];
  const service = await startService({
    database,
    port,
    host: "127.0.0.1",
    adminKey,
    objectsFolder,
    ports: sources.of("service"),
    log,
  });
  return {
    port: service.port,
    admin: service.admin,
    ports: sources.of("app"),
    faults: faults.outgoing,
    clock: () => clock.state(),
    follow: (follower) => void followers.push(follower),
    ensureSeed: () => Promise.resolve(),
    close: () => service.close(),
  };
}
