import { rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ROOT, run, startParley, survivors, familyOf, temporaryFolder } from "../support/parley-process.ts";

/** A sample of `npm run node-versions`: the product answers a customer with newer versions of Node. */

const MAJORS = ["22", "24"];

interface InstalledVersion {
  readonly version: string;
  readonly node: string;
}

const nodeVersions = (args: readonly string[]) =>
  run([process.execPath, join(ROOT, "scripts/node-versions.mjs"), ...args]);

let installed: readonly InstalledVersion[];
beforeAll(async () => {
  const { stdout, stderr, status } = await nodeVersions([...MAJORS, "--only-install", "--json"]);
  if (status !== 0) throw new Error(stderr);
  ({ versions: installed } = JSON.parse(stdout) as { versions: readonly InstalledVersion[] });
});

const data = await temporaryFolder();
afterAll(data.remove);

test.each(MAJORS)(
  "with the newest Node %s, parley start installs Concierge, which greets a customer, and SIGTERM ends all processes",
  async (major) => {
    const { node, version } = installed.find((one) => one.version.startsWith(`${major}.`)) ?? { node: "", version: "" };
    const folder = join(data.folder, major);
    const env = { PARLEY_DATA: folder, PATH: [dirname(node), process.env["PATH"]].join(delimiter) };
    const running = await startParley(folder, { env, wrapCommand: ([, ...rest]) => [node, ...rest] });
    try {
      const used = await run([node, "--version"]);
      expect(used.stdout.trim()).toBe(`v${version}`);
      const chat = await run([node, join(ROOT, "packages/parley/bin/parley.mjs"), "chat", "--once", "Hi"], { env });
      expect(chat).toMatchObject({ status: 0, stderr: "" });
      expect(chat.stdout).toMatch(/^Concierge: Hi/m);
      const family = await familyOf(running.pid);
      expect(await running.signal("SIGTERM")).toBe(0);
      expect(await survivors(family, 8_000)).toEqual([]);
      // Nothing but the announcement: newer versions print warnings for what they deprecate.
      expect(running.output.stderr).not.toMatch(/Warning|deprecat/i);
    } finally {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);

test.each([
  ["a version that is malformed", ["twenty"], "twenty is not a version such as 22 or 22.4.1."],
  ["a version that the registry does not have", ["22.999", "--only-install"], "The registry has no node-"],
  ["an unknown option", ["--fast"], "Next: npm run node-versions -- --help"],
])("npm run node-versions refuses %s and says what to do next", async (_, args, message) => {
  const { status, stdout, stderr } = await nodeVersions(args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).toContain("Next: ");
});

test("npm run node-versions counts the tests that a version runs, and its exit status 1 reports failed tests", async () => {
  const chosen = async (pattern: string) => {
    const { status, stdout } = await nodeVersions([MAJORS[0] ?? "", "--json", "--", pattern]);
    const { versions } = JSON.parse(stdout) as { versions: readonly { passed: number; failed: number }[] };
    return { status, counts: versions.map(({ passed, failed }) => ({ passed: passed > 0, failed })) };
  };
  expect(await chosen("test/release/platforms.test.ts")).toEqual({ status: 0, counts: [{ passed: true, failed: 0 }] });
  expect(await chosen("no-such-test")).toEqual({ status: 1, counts: [{ passed: false, failed: 1 }] });
});
