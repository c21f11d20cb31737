import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { originOf, platformHarness, type PlatformHarness } from "./platform-harness.ts";

/** What load balancers and monitoring ask a process of the platform. */

let platform: PlatformHarness;
beforeAll(async () => {
  platform = await platformHarness();
});
afterAll(() => platform?.close());

const statusOf = async (path: string): Promise<number> => (await fetch(originOf(platform.platform) + path)).status;

describe("the health of a process of the platform", () => {
  test("/live and /health answer 200 without a key", async () => {
    expect([await statusOf("/live"), await statusOf("/health")]).toEqual([200, 200]);
  });

  test("/health answers 503 while the process can't renew its registration, and 200 again afterwards", async () => {
    await platform.pool.transaction(async (tx) => {
      await tx.rows({ name: "lock_processes", text: "LOCK TABLE platform_processes IN ACCESS EXCLUSIVE MODE" }, []);
      await platform.until(async () => ((await statusOf("/health")) === 503 ? true : undefined));
      expect(await statusOf("/live")).toBe(200);
    });
    await platform.until(async () => ((await statusOf("/health")) === 200 ? true : undefined));
  });
});
