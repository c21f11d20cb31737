import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

interface Starts {
  readonly instances: number;
  readonly browsers: number;
  readonly processes: number;
}

const STARTS = fileURLToPath(new URL("../runner/starts.mjs", import.meta.url));
const { kindOfStart } = (await import(STARTS)) as { kindOfStart: (words: readonly string[]) => keyof Starts };
const { exceededLimits, exceededTotals } = (await import(
  new URL("../runner/start-limits.mjs", import.meta.url).href
)) as {
  exceededLimits: (path: string, starts: Starts) => string[];
  exceededTotals: (tier: "tests" | "system", starts: Starts) => string[];
};

test.each([
  ["/usr/bin/chromium --headless", "browsers"],
  ["/home/sam/.cache/parley-chromium/147.0.0/chromium --headless", "browsers"],
  ["/usr/bin/firefox-esr --headless", "browsers"],
  ["WebKitWebDriver --port=4444", "browsers"],
  ["/usr/bin/chromium --version", "processes"],
  ["node /parley/scripts/start.mjs --json", "instances"],
  ["node /parley/packages/parley/bin/parley.mjs serve --demo", "instances"],
  ["npx parley run", "instances"],
  ["node /parley/packages/parley/bin/parley.mjs run --help", "processes"],
  ["node /parley/packages/parley/bin/parley.mjs publish", "processes"],
  ["/opt/postgres/bin/postgres -D data", "processes"],
])("the start of %s counts among %s", (line, kind) => {
  expect(kindOfStart(line.split(" "))).toBe(kind);
});

test("every way to start a process is counted once", () => {
  const script = `
    import { countStarts, takeStarts } from ${JSON.stringify(STARTS)};
    countStarts();
    const { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } = await import("node:child_process");
    const { promisify } = await import("node:util");
    execSync("true"); execFileSync("true"); spawnSync("true"); spawn("true"); exec("true"); fork("/dev/null");
    await promisify(execFile)("true");
    console.log(takeStarts().processes, takeStarts().processes);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  expect({ stdout, stderr }).toEqual({ stdout: "7 0\n", stderr: "" });
});

const NOTHING = { instances: 0, browsers: 0, processes: 0 };

test.each([
  ["test/x.test.ts", { instances: 1 }, ["1 instances were started; a file of npm test permits 0"]],
  ["test/x.test.ts", { browsers: 1 }, ["1 browsers were started; a file of npm test permits 0"]],
  ["test/x.system.test.ts", { instances: 1, browsers: 1 }, []],
  ["test/x.system.test.ts", { browsers: 9 }, ["9 browsers were started; a file of npm run test:system permits 2"]],
  ["test/x.campaign.test.ts", { instances: 9, browsers: 9, processes: 9_999 }, []],
])("%s with the starts %j exceeds the limits %j", (path, starts, excesses) => {
  const scope = process.env["PARLEY_TEST_CAMPAIGN"];
  delete process.env["PARLEY_TEST_CAMPAIGN"];
  expect(exceededLimits(path, { ...NOTHING, ...starts })).toEqual(excesses);
  if (scope !== undefined) process.env["PARLEY_TEST_CAMPAIGN"] = scope;
});

test("a tier has limits for all of its files together", () => {
  expect(exceededTotals("tests", { ...NOTHING, instances: 1 })).toEqual([]);
  expect(exceededTotals("tests", { ...NOTHING, instances: 2 })).toEqual([
    "2 instances were started; npm test permits 1",
  ]);
});
