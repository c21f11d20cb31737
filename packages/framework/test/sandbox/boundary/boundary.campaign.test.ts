import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { FAMILIES } from "./attempts.ts";
import { attemptRunner, canReproduce, SITUATIONS } from "./situations.ts";

let runner: Awaited<ReturnType<typeof attemptRunner>>;
beforeAll(async () => {
  runner = await attemptRunner();
});
afterAll(() => runner.close());

const BOUNDED = SITUATIONS.slice(0, 4);
const UNBOUNDED = SITUATIONS.slice(4);

test("the boundary is tested with at least a hundred attempts", () => {
  expect(Object.values(FAMILIES).flat().length).toBeGreaterThanOrEqual(100);
});

describe("a program with all of Node has no effect outside its boundary when Parley is run by", () => {
  test.each(BOUNDED.filter(canReproduce).map((situation) => [situation.title, situation] as const))(
    "%s",
    async (_title, situation) => {
      const { isStrong, succeeded, effects, shortcomings } = await runner.run(situation);
      expect({ isStrong, succeeded, effects, shortcomings }).toEqual({
        isStrong: true,
        succeeded: [],
        effects: [],
        shortcomings: [],
      });
    },
  );
});

describe("without isolation by the operating system, the boundary is none and reported as such when run by", () => {
  test.each(UNBOUNDED.filter(canReproduce).map((situation) => [situation.title, situation] as const))(
    "%s",
    async (_title, situation) => {
      const { boundary, isStrong, shortcomings } = await runner.run(situation);
      expect([boundary, isStrong]).toEqual(["none", false]);
      expect(shortcomings[0]).toMatch(/does not isolate the app's code/);
    },
  );
});

describe("without a boundary the attempts succeed when run by", () => {
  const families = Object.keys(FAMILIES);
  let reached: readonly string[];
  beforeAll(async () => {
    const situation = SITUATIONS.find(({ user }) => user === "ordinary");
    const { succeeded, effects } = await runner.run(situation ?? SITUATIONS[0]!, "none");
    expect(effects.length).toBeGreaterThan(0);
    reached = succeeded.map(([attempt]) => attempt);
  });

  test.each(families)("%s", (family) => {
    expect(reached.filter((attempt) => attempt.startsWith(`${family}: `)).length).toBeGreaterThan(0);
  });
});

/** Attempts that succeed in a program's own namespaces where no filter restricts its system calls. They affect no other process. */
const OWN_NAMESPACE_ATTEMPTS = [
  "connects to the network: listens",
  "connects to the network: listens for datagrams",
  "connects to sockets of the machine: listens by an abstract name",
  "reaches other processes: starts process.execPath",
  "reaches other processes: starts a program beside itself",
  "reaches other processes: forks",
  "reaches other processes: starts a cluster",
];

describe("each boundary isolates by itself, if this machine has it:", () => {
  test.each(["bubblewrap", "namespaces", "unshare", "landlock"])("%s", async (name) => {
    const [situation] = SITUATIONS.filter(canReproduce);
    const findings = await runner.run(situation!, `${name},none`);
    // Where the tool or the kernel's support is missing, the next boundary of the list is chosen.
    if (findings.boundary === "none") return expect(findings.isStrong).toBe(false);
    const succeeded = findings.succeeded.filter(
      ([attempt]) => name !== "unshare" || !OWN_NAMESPACE_ATTEMPTS.includes(attempt),
    );
    return expect([succeeded, findings.effects, findings.hostName]).toEqual([
      [],
      [],
      name === "landlock" ? hostname() : "app",
    ]);
  });
});
