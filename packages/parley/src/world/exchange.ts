import { SEED_SNAPSHOT } from "@parley/contract";
import type { Service } from "@parley/service";
import type { WorldClock } from "./clock/clock.ts";
import type { WorldFaults } from "./fault/faults.ts";
import type { Gate } from "./gate.ts";
import type { WorldPorts } from "./ports.ts";
import type { Snapshots } from "./snapshot/snapshots.ts";

/** What a reset or a loaded snapshot has to start anew beside the service: an app host. */
export interface Follower {
  /** Called before the data is exchanged, while the service still answers: nothing may be under way after it. */
  pause(): Promise<void>;
  /** Called after it, when the service answers again. */
  resume(): Promise<void>;
}

export interface ExchangeDeps {
  readonly gate: Gate;
  readonly snapshots: Snapshots;
  readonly clock: WorldClock;
  readonly faults: WorldFaults;
  readonly sources: WorldPorts;
  /** Starts a service behind the gate. */
  readonly begin: () => Promise<Service>;
  /** Hashes of the tokens that the instance itself holds. @shape hex */
  readonly tokens: () => readonly string[];
}

/** Exchanges the data of an instance while requests wait: one exchange after the other. */
export interface Exchange {
  readonly service: () => Service;
  readonly follow: (follower: Follower) => void;
  readonly save: (name: string) => Promise<void>;
  /** @errors SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED */
  readonly load: (name: string) => Promise<void>;
  /** Data, clock and faults as they were at the seed. @errors SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED */
  readonly reset: () => Promise<void>;
  /** Lets somebody fill the instance while the apps are at rest; they hear nothing of it. @shape name: what to save it as */
  readonly fill: <T>(work: () => Promise<T>, name?: string) => Promise<T>;
  readonly close: () => Promise<void>;
}

export async function openExchange(deps: ExchangeDeps): Promise<Exchange> {
  const { gate, snapshots, clock, faults, sources, begin, tokens } = deps;
  const followers: Follower[] = [];
  let service = await begin();
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  gate.open(service.server);

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(() => {
      if (isClosed) throw new Error("the instance ends");
      return work();
    });
    last = turn.catch(() => undefined);
    return turn;
  };

  /** While apps are at rest. They may be in the middle of a request, so that the service answers until they are. */
  const atRest = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await Promise.all(followers.map((follower) => follower.pause()));
      return await work();
    } finally {
      await Promise.all(followers.map((follower) => follower.resume()));
    }
  };

  /** While requests wait, too. */
  const held = <T>(work: () => Promise<T>): Promise<T> =>
    gate
      .shut()
      .then(work)
      .finally(() => gate.open(service.server));

  /** While there is no service either: the one after it knows nothing of the one before. */
  const anew = (work: () => Promise<void>): Promise<void> =>
    held(async () => {
      await service.close();
      try {
        await work();
      } finally {
        service = await begin();
        sources.restart();
      }
    });

  return {
    service: () => service,
    follow: (follower) => void followers.push(follower),
    save: (name) => inTurn(() => atRest(() => held(() => snapshots.save(name)))),
    load: (name) =>
      inTurn(async () => {
        await snapshots.check(name);
        await atRest(() => anew(() => snapshots.load(name, tokens())));
      }),
    reset: () =>
      inTurn(async () => {
        await snapshots.check(SEED_SNAPSHOT);
        await atRest(() =>
          anew(async () => {
            await snapshots.load(SEED_SNAPSHOT, tokens());
            faults.clear();
            clock.reset();
          }),
        );
      }),
    fill: (work, name) =>
      inTurn(() =>
        atRest(async () => {
          const result = await work();
          await anew(async () => {
            await snapshots.skipEvents();
            if (name !== undefined) await snapshots.save(name);
          });
          return result;
        }),
      ),
    async close() {
      isClosed = true;
      await last;
      await gate.close();
      await service.close();
    },
  };
}
