import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { campaignTest } from "../../../test/campaign.ts";
import { appHarness, type AppHarness } from "../../../test/app-harness.ts";
import { parley } from "../../../test/parley-process.ts";

/** `parley test` runs an app's own tests with a local service. */

jest.setTimeout(90_000);

const GOOD = `
import { world } from "@parley/framework/testing";
let w: Awaited<ReturnType<typeof world>>;
beforeAll(async () => { w = await world({ iparams: { note: "by a test" } }); });
beforeEach(() => w.reset());
afterAll(() => w.close());
test("is installed with the values", async () => {
  await w.api.users.createUser({ body: { first_name: "Ada" } });
  const [set] = await w.invocations({ event: "onAppInstall" });
  expect(set).toMatchObject({ ok: true, payload: { iparams: { note: "by a test" } } });
});
test("sees nothing of the case before", async () => {
  expect((await w.api.users.listUsers({ query: { first_name: "Ada" } })).users).toEqual([]);
  expect(await w.event("onMessageCreate")).toMatchObject({ ok: true });
});
`;
const BAD = `test("is wrong", () => expect(1).toBe(2));`;

let harness: AppHarness;
const tested = (...args: string[]) => parley(["test", ...args], { cwd: harness.folder });

beforeAll(async () => {
  harness = await appHarness({ "test/good.test.ts": GOOD, "test/bad.test.js": BAD }, false);
});
afterAll(() => harness.close());

test("parley test prints and counts a failing test, exits with status 1, and leaves the app's folder unchanged", async () => {
  const { status, stdout, stderr } = await tested("--json");
  expect(JSON.parse(stdout)).toEqual({ status: 1, tests: { total: 3, passed: 2, failed: 1 } });
  expect(status).toBe(1);
  expect(stderr).toMatch(/● is wrong/);
  expect(stderr).toMatch(/✓ sees nothing of the case before|PASS test\/good\.test\.ts/);
  expect(await readdir(harness.folder)).not.toContain(".parley");
});

campaignTest(
  "parley test exits with status 0 for passing tests, and passes arguments after -- to the test runner",
  async () => {
    const { status, stderr } = await tested("--", "-t", "installed");
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/1 passed/) });
  },
);

campaignTest(
  "parley test runs the app's own test script, returns its status, and leaves no data of the local service",
  async () => {
    await harness.write("package.json", '{"name": "listener", "scripts": {"test": "node own.mjs"}}');
    const own = "console.log(process.env.PARLEY_WORLD); process.exitCode = 3;";
    await harness.write("own.mjs", own);
    const { status, stdout } = await tested();
    expect(status).toBe(3);
    const world = JSON.parse(stdout) as { service: string; dataFolder: string; apps: unknown };
    expect(world.apps).toMatchObject([{ name: "listener" }]);
    expect(existsSync(world.dataFolder)).toBe(false);
    await expect(fetch(world.service)).rejects.toThrow();
  },
);
