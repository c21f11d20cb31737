import type { Database } from "@parley/database";
import { realPorts, startService, type Admin, type Ports } from "@parley/service";

/** What a reset or a loaded snapshot has to start anew beside the service: an app host. */
export interface Follower {
  /** Called before the data is exchanged: nothing may be under way after it. */
  pause(): Promise<void>;
  /** Called after it. */
  resume(): Promise<void>;
}

export interface LocalServiceOptions {
  readonly database: Database;
  /** 0: any free one. */
  readonly port: number;
  readonly adminKey: string;
  readonly dataFolder: string;
  readonly objectsFolder: string;
  readonly log: (line: string) => void;
}

/** The service of a local instance, and its world: clock, faults, snapshots. */
export interface LocalService {
  readonly port: number;
  /** Of the service as it is now: a reset makes another one. */
  readonly admin: Admin;
  /** Time, ids and secrets as the world has them: for the app host too. */
  readonly ports: Ports;
  follow(follower: Follower): void;
  close(): Promise<void>;
}

export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { database, port, adminKey, objectsFolder, log } = options;
  const ports = realPorts;
  const service = await startService({ database, port, host: "127.0.0.1", adminKey, objectsFolder, ports, log });
  return {
    port: service.port,
    admin: service.admin,
    ports,
    follow: () => undefined,
    close: () => service.close(),
  };
}
