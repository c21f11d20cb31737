import { SEED_SNAPSHOT, START_SNAPSHOT } from "@parley/contract";
import type { MessagingService } from "@parley/service";
import type { WorldClock } from "../clock/clock.ts";
import type { WorldFaults } from "../fault/faults.ts";
import type { TrafficGate } from "./traffic-gate.ts";
import type { WorldPorts } from "../clock/ports.ts";
import type { Snapshots } from "./snapshots.ts";

/** What a reset or a loaded snapshot has to start anew beside the service: an app host. */
export interface SwapFollower {
  /** Called before the data is exchanged, while the service still answers: nothing may be under way after it. */
  pause(): Promise<void>;
  /** Called after it, when the service answers again. */
  resume(): Promise<void>;
}

interface DataSwapDeps {
  readonly gate: TrafficGate;
  readonly snapshots: Snapshots;
  readonly clock: WorldClock;
  readonly faults: WorldFaults;
  readonly sources: WorldPorts;
  /** Starts a service behind the gate. */
  readonly begin: () => Promise<MessagingService>;
  /** Starts one beside it, which tells nobody of what happens and counts no calls. */
  readonly beginAside: () => Promise<MessagingService>;
  /** Hashes of the tokens that the instance itself holds. @shape hex */
  readonly tokens: () => readonly string[];
}

interface FillChoices {
  /** Fills what the instance began with, and not what it holds. */
  readonly anew: boolean;
  /** A reset goes on returning to the seed before. */
  readonly keepSeed: boolean;
}

/** What is there before somebody fills the instance: a process that dies meanwhile goes back to it at the next start. */
const BEFORE = "_before";

/** Exchanges the data of an instance while requests wait: one exchange after the other. */
export interface DataSwap {
  readonly service: () => MessagingService;
  readonly follow: (follower: SwapFollower) => void;
  readonly save: (name: string) => Promise<void>;
  /** @errors SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED */
  readonly load: (name: string) => Promise<void>;
  /** Data, clock and faults as they were at the seed. @errors SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED */
  readonly reset: () => Promise<void>;
  /**
   * Lets somebody fill the instance while the apps are at rest: whole, or not at all. They hear nothing of it, and it counts against no
   * allowance.
   */
  readonly fill: <T>(work: (service: MessagingService) => Promise<T>, choices: FillChoices) => Promise<T>;
  readonly close: () => Promise<void>;
}

export async function openDataSwap(deps: DataSwapDeps): Promise<DataSwap> {
  const { gate, snapshots, clock, faults, sources, begin, beginAside, tokens } = deps;
  const followers: SwapFollower[] = [];
  if (await snapshots.has(BEFORE)) {
    await snapshots.load(BEFORE, []);
    await snapshots.remove(BEFORE);
  }
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
  const anew = <T>(work: () => Promise<T>, settle: () => Promise<void> = () => Promise.resolve()): Promise<T> =>
    held(async () => {
      // A delivery under way waits at a resting app's door, and is of data that goes.
      await service.close(0);
      try {
        return await work();
      } finally {
        service = await begin();
        await settle();
      }
    });

  /** Nothing that is made after it gets an id that is there. */
  const bring = async (name: string): Promise<void> => {
    await snapshots.load(name, tokens());
    sources.passBy(await snapshots.placeOf(name));
  };

  /** What was made since that snapshot is gone: its ids are free again. */
  const freeIdsSince = async (name: string): Promise<void> => sources.goTo(await snapshots.placeOf(name));

  /** What was a seed once stays, so that others can be made of it. */
  const makeSeed = async (): Promise<void> => {
    const isFirst = (await snapshots.has(SEED_SNAPSHOT)) && !(await snapshots.has(START_SNAPSHOT));
    if (isFirst) await snapshots.rename(SEED_SNAPSHOT, START_SNAPSHOT);
    await snapshots.save(SEED_SNAPSHOT);
  };

  const filled = async <T>(
    work: (service: MessagingService) => Promise<T>,
    { anew: isAnew, keepSeed }: FillChoices,
  ) => {
    await snapshots.save(BEFORE);
    try {
      if (isAnew) {
        const start = (await snapshots.has(START_SNAPSHOT)) ? START_SNAPSHOT : SEED_SNAPSHOT;
        await bring(start);
        await freeIdsSince(start);
      }
      const beside = await beginAside();
      let result: T;
      try {
        result = await work(beside);
      } finally {
        await beside.close();
      }
      await snapshots.settle();
      if (!keepSeed) await makeSeed();
      return result;
    } catch (error) {
      await bring(BEFORE);
      throw error;
    } finally {
      await snapshots.remove(BEFORE);
    }
  };

  return {
    service: () => service,
    follow: (follower) => void followers.push(follower),
    save: (name) => inTurn(() => atRest(() => held(() => snapshots.save(name)))),
    load: (name) =>
      inTurn(async () => {
        await snapshots.check(name);
        await atRest(() => anew(() => bring(name)));
      }),
    reset: () =>
      inTurn(async () => {
        await snapshots.check(SEED_SNAPSHOT);
        await atRest(() =>
          anew(
            async () => {
              await bring(SEED_SNAPSHOT);
              faults.clear();
              clock.reset();
            },
            // Last: a service draws ids when it begins, and not always as many.
            () => freeIdsSince(SEED_SNAPSHOT),
          ),
        );
      }),
    fill: (work, choices) => inTurn(() => atRest(() => anew(() => filled(work, choices)))),
    async close() {
      isClosed = true;
      await last;
      await gate.close();
      await service.close();
    },
  };
}
