import {
  FAULT_NOT_FOUND,
  INVALID_VALUE,
  MISSING_PARAMETER,
  refuse,
  SEED_SNAPSHOT,
  testEnvironment,
  type ClockChange,
  type SnapshotResult,
} from "@parley/contract";
import { defineRoutes } from "@parley/service";
import { type AdjustableClock, durationOf } from "./clock/clock.ts";
import type { DataSwap } from "./snapshot/data-swap.ts";
import type { InjectedFaults } from "./fault/faults.ts";
import type { Seeder } from "./seed/seeder.ts";
import type { Snapshots } from "./snapshot/snapshots.ts";

interface TestEnvironmentDeps {
  readonly clock: AdjustableClock;
  readonly faults: InjectedFaults;
  readonly snapshots: Pick<Snapshots, "list" | "remove" | "check">;
  readonly dataSwap: Pick<DataSwap, "save" | "load" | "reset">;
  readonly seed: Seeder["seed"];
  readonly progress: Seeder["progress"];
  /** Resolves when the apps notice all changes of clock and faults. */
  readonly applied: () => Promise<void>;
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const checkedName = (name: string): string =>
  NAME.test(name)
    ? name
    : refuse(INVALID_VALUE, "name must be up to 40 lower-case letters, digits, hyphens and underscores");

/** Valid range of the clock, limited by the timestamps of ids and by calendars. */
const EARLIEST = Date.parse("2000-01-01T00:00:00Z");
const LATEST = Date.parse("2200-01-01T00:00:00Z");
const inClockRange = (time: number, name: string): Date =>
  time >= EARLIEST && time <= LATEST ? new Date(time) : refuse(INVALID_VALUE, `${name} must be from 2000 to 2199`);

const checkAbsent = (value: unknown, name: string, action: string): void => {
  if (value !== undefined) refuse(INVALID_VALUE, `${name} is not allowed for ${action}`);
};

const changeClock = (clock: AdjustableClock, { action, time, by }: ClockChange): void => {
  const at = time === undefined ? undefined : inClockRange(Date.parse(time), "time");
  if (action !== "advance") checkAbsent(by, "by", action);
  if (action !== "freeze" && action !== "set") checkAbsent(time, "time", action);
  if (action === "freeze") clock.freeze(at);
  else if (action === "set") clock.set(at ?? refuse(MISSING_PARAMETER, "time is mandatory for set"));
  else if (action === "advance") {
    const text = by ?? refuse(MISSING_PARAMETER, "by is mandatory for advance");
    const durationMs =
      durationOf(text) ?? refuse(INVALID_VALUE, "by must be a duration such as 1d, 90m, 1h30m, 45s or PT2H");
    inClockRange(clock.now().getTime() + durationMs, "the resulting time");
    clock.advance(durationMs);
  } else if (action === "run") clock.run();
  else clock.reset();
};

/** Measures the duration with the machine's clock. */
const timed = async (snapshot: string, work: () => Promise<void>): Promise<SnapshotResult> => {
  const startTime = performance.now();
  await work();
  return { snapshot, milliseconds: Math.round(performance.now() - startTime) };
};

/** Handlers of the /admin/world endpoints of a local instance. */
export const testEnvironmentRoutes = ({
  clock,
  faults,
  snapshots,
  dataSwap,
  seed,
  progress,
  applied,
}: TestEnvironmentDeps) =>
  defineRoutes(testEnvironment, {
    async getWorld() {
      const seeding = progress();
      return {
        clock: clock.state(),
        faults: faults.list(),
        snapshots: await snapshots.list(),
        ...(seeding && { seeding }),
      };
    },
    async changeClock({ body }) {
      changeClock(clock, body);
      await applied();
      return clock.state();
    },
    async addFault({ body }) {
      const fault = faults.add(body);
      await applied();
      return fault;
    },
    async removeFault({ params }) {
      const fault = faults.remove(params.fault_id) ?? refuse(FAULT_NOT_FOUND);
      await applied();
      return fault;
    },
    async clearFaults() {
      const cleared = faults.clear();
      await applied();
      return { faults: cleared };
    },
    resetWorld: () => timed(SEED_SNAPSHOT, () => dataSwap.reset()),
    saveSnapshot: ({ params: { name } }) => timed(checkedName(name), () => dataSwap.save(name)),
    async loadSnapshot({ params: { name } }) {
      // Checked before requests are held back.
      await snapshots.check(name);
      return timed(name, () => dataSwap.load(name));
    },
    removeSnapshot: ({ params }) => snapshots.remove(params.name),
    async seedWorld({ body, query }) {
      const startTime = performance.now();
      const counts = await seed(body, query);
      return { ...counts, milliseconds: Math.round(performance.now() - startTime) };
    },
  });
