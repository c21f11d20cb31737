import { afterEach, describe, expect, test } from "@jest/globals";
import { UsageFailure } from "@parley/contract";
import { hostSettingsOf } from "../../src/environment/config.ts";
import { poolFixture, type PoolFixture, type PoolFixtureOptions } from "../support/pool-fixture.ts";

const opened: PoolFixture[] = [];
const open = async (options: PoolFixtureOptions): Promise<PoolFixture> => {
  const fixture = await poolFixture(options);
  opened.push(fixture);
  return fixture;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ pool }) => pool.close()));
});

describe("settings from the environment", () => {
  test("without variables are none, so that the defaults apply", () => {
    expect(hostSettingsOf({})).toEqual({});
    expect(hostSettingsOf({ PARLEY_APP_PROCESSES: "" })).toEqual({});
  });

  test.each([
    ["PARLEY_APP_IDLE_SECONDS", "5", { idleProcessMs: 5_000 }],
    ["PARLEY_APP_PROCESSES", "7", { maxProcesses: 7 }],
    ["PARLEY_APP_MEMORY_MB", "64", { heapMb: 64, dataMb: 448 }],
    ["PARLEY_APP_CPU_PERCENT", "150", { cpuPercent: 150 }],
  ])("%s=%s sets %j", (name, value, settings) => {
    expect(hostSettingsOf({ [name]: value })).toEqual(settings);
  });

  test.each([
    ["PARLEY_APP_IDLE_SECONDS", "0", "a whole number of seconds from 1 to 86400"],
    ["PARLEY_APP_IDLE_SECONDS", "1m", "a whole number of seconds from 1 to 86400"],
    ["PARLEY_APP_PROCESSES", "-1", "a whole number of processes from 1 to 10000"],
    ["PARLEY_APP_MEMORY_MB", "8", "a whole number of mebibytes from 16 to 16384"],
    ["PARLEY_APP_CPU_PERCENT", "50%", "a whole number of percent from 1 to 6400"],
  ])("%s=%s is refused with what to write", (name, value, expected) => {
    expect(() => hostSettingsOf({ [name]: value })).toThrow(
      new UsageFailure(`${name} must be ${expected}, not '${value}'.`),
    );
  });

  test("PARLEY_APP_MEMORY_MB bounds the heap of a process", async () => {
    const fill = `exports.h = () => { const all = []; while (all.length < 60) all.push(Array.from({ length: 131072 }, (_, i) => i + 0.5)); };`;
    const { app } = await open({ settings: hostSettingsOf({ PARLEY_APP_MEMORY_MB: "32" }) });
    expect(await app(fill).call("a")).toMatchObject({ ok: false, error: expect.stringContaining("out of memory") });
    const larger = await open({ settings: hostSettingsOf({ PARLEY_APP_MEMORY_MB: "256" }) });
    expect(await larger.app(fill).call("a")).toEqual({ ok: true });
  });
});
