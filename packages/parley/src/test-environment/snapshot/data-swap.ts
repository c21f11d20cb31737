import { SEED_SNAPSHOT, START_SNAPSHOT } from "@parley/contract";
import type { MessagingService } from "@parley/service";
import type { AdjustableClock } from "../clock/clock.ts";
import type { InjectedFaults } from "../fault/faults.ts";
import type { InstanceGate } from "./instance-gate.ts";
import type { InstancePorts } from "../clock/ports.ts";
import type { Snapshots } from "./snapshots.ts";

/** A component that has to restart when the data is replaced: an app host. */
export interface SwapFollower {
  /** Called before the data is replaced, while the service still answers. The component must have no work in progress when it resolves. */
  pause(): Promise<void>;
  /** Called when the service answers again. */
  resume(): Promise<void>;
}

interface DataSwapDeps {
  readonly gate: InstanceGate;
  readonly snapshots: Snapshots;
  readonly clock: AdjustableClock;
  readonly faults: InjectedFaults;
  readonly instancePorts: InstancePorts;
  /** Starts the service behind the gate. */
  readonly startMain: () => Promise<MessagingService>;
  /** Starts a separate service that delivers no events and does not count calls. */
  readonly startSeparate: () => Promise<MessagingService>;
  /** Hashes of the tokens that the instance itself uses. @shape hex */
  readonly tokens: () => readonly string[];
}

interface FillChoices {
  /** Starts from the initial data instead of the present data. */
  readonly anew: boolean;
  /** A reset still returns to the previous seed. */
  readonly keepSeed: boolean;
}

/** Internal snapshot of the data before a fill. If the process dies during the fill, the next start restores it. */
const UNDO_SNAPSHOT = "_before";

/** Replaces the data of an instance while requests wait. Operations run one after the other. */
export interface DataSwap {
  readonly service: () => MessagingService;
  readonly follow: (follower: SwapFollower) => void;
  readonly save: (name: string) => Promise<void>;
  /** @errors SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED */
  readonly load: (name: string) => Promise<void>;
  /** Restores data, clock and faults of the seed. @errors SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED */
  readonly reset: () => Promise<void>;
  /** Runs `work` to fill the instance while the apps are paused, atomically. Apps get no events of it, and its calls count against no limit. */
  readonly fill: <T>(work: (service: MessagingService) => Promise<T>, choices: FillChoices) => Promise<T>;
  readonly close: () => Promise<void>;
}

export async function openDataSwap(deps: DataSwapDeps): Promise<DataSwap> {
  const { gate, snapshots, clock, faults, instancePorts, startMain, startSeparate, tokens } = deps;
  const followers: SwapFollower[] = [];
  if (await snapshots.has(UNDO_SNAPSHOT)) {
    await snapshots.load(UNDO_SNAPSHOT, []);
    await snapshots.remove(UNDO_SNAPSHOT);
  }
  let service = await startMain();
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  gate.open(service.server);

  const serialized = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(() => {
      if (isClosed) throw new Error("the instance ends");
      return work();
    });
    last = result.catch(() => undefined);
    return result;
  };

  /** Pauses the apps during the work. The service still answers while they pause, because they may be in the middle of a request. */
  const withPausedApps = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await Promise.all(followers.map((follower) => follower.pause()));
      return await work();
    } finally {
      await Promise.all(followers.map((follower) => follower.resume()));
    }
  };

  /** Also holds back requests. */
  const withHeldRequests = <T>(work: () => Promise<T>): Promise<T> =>
    gate
      .shut()
      .then(work)
      .finally(() => gate.open(service.server));

  /** Also stops the service, so that the next one has no state of the previous data. */
  const withNewService = <T>(
    work: () => Promise<T>,
    afterStart: () => Promise<void> = () => Promise.resolve(),
  ): Promise<T> =>
    withHeldRequests(async () => {
      // A delivery in progress would wait for a paused app, and belongs to data that is replaced.
      await service.close(0);
      try {
        return await work();
      } finally {
        service = await startMain();
        await afterStart();
      }
    });

  /** Loads a snapshot and advances the id sequences past its ids. */
  const restore = async (name: string): Promise<void> => {
    await snapshots.load(name, tokens());
    instancePorts.advancePast(await snapshots.positionOf(name));
  };

  /** Ids that were created since the snapshot no longer exist and can be generated again. */
  const freeIdsSince = async (name: string): Promise<void> => instancePorts.resumeAt(await snapshots.positionOf(name));

  /** The first seed is kept under another name, because --anew starts from it. */
  const makeSeed = async (): Promise<void> => {
    const isFirst = (await snapshots.has(SEED_SNAPSHOT)) && !(await snapshots.has(START_SNAPSHOT));
    if (isFirst) await snapshots.rename(SEED_SNAPSHOT, START_SNAPSHOT);
    await snapshots.save(SEED_SNAPSHOT);
  };

  const runFill = async <T>(work: (service: MessagingService) => Promise<T>, { anew, keepSeed }: FillChoices) => {
    await snapshots.save(UNDO_SNAPSHOT);
    try {
      if (anew) {
        const start = (await snapshots.has(START_SNAPSHOT)) ? START_SNAPSHOT : SEED_SNAPSHOT;
        await restore(start);
        await freeIdsSince(start);
      }
      const separate = await startSeparate();
      let result: T;
      try {
        result = await work(separate);
      } finally {
        await separate.close();
      }
      await snapshots.settle();
      if (!keepSeed) await makeSeed();
      return result;
    } catch (error) {
      await restore(UNDO_SNAPSHOT);
      throw error;
    } finally {
      await snapshots.remove(UNDO_SNAPSHOT);
    }
  };

  return {
    service: () => service,
    follow: (follower) => void followers.push(follower),
    save: (name) => serialized(() => withPausedApps(() => withHeldRequests(() => snapshots.save(name)))),
    load: (name) =>
      serialized(async () => {
        await snapshots.check(name);
        await withPausedApps(() => withNewService(() => restore(name)));
      }),
    reset: () =>
      serialized(async () => {
        await snapshots.check(SEED_SNAPSHOT);
        await withPausedApps(() =>
          withNewService(
            async () => {
              await restore(SEED_SNAPSHOT);
              faults.clear();
              clock.reset();
            },
            // Runs after the start of the service, which draws a varying number of ids.
            () => freeIdsSince(SEED_SNAPSHOT),
          ),
        );
      }),
    fill: (work, choices) => serialized(() => withPausedApps(() => withNewService(() => runFill(work, choices)))),
    async close() {
      isClosed = true;
      await last;
      await gate.close();
      await service.close();
    },
  };
}
