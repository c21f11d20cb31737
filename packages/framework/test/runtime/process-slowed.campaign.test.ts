import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { findBoundary, type BoundaryName } from "../../src/sandbox/boundary.ts";
import { hostProgram, type HostProgram } from "../support/host-program.ts";
import { familyOf, survivors } from "../support/process-tree.ts";

/** A host whose only app loops and is slowed down within a second. */
const HOST = `
import { readFileSync } from "node:fs";
import { createAppRunner } from "../../src/runtime/process/runner.ts";
import { createLauncher } from "../../src/runtime/process/process-link.ts";
import { createProcessPool } from "../../src/runtime/process/process-pool.ts";
import { findBoundary } from "../../src/sandbox/boundary.ts";
import { defaultHostSettings } from "../../src/environment/settings.ts";
const launch = createLauncher(await findBoundary([process.argv[3]]));
const program = readFileSync(process.argv[2], "utf8");
const settings = { ...defaultHostSettings, cpuPercent: 1, callTimeoutMs: 60_000 };
const processPool = createProcessPool({ launch, program, settings, log: (line) => console.log(line) });
const code = "exports.h = () => { for (;;); };";
const runner = createAppRunner({
  launch, program, settings, log: () => undefined, processPool, app: () => ({ serverCode: code, serverMap: undefined, version: "1" }),
});
process.stdin.once("data", async () => {
  await processPool.close();
  console.log("closed");
});
await runner.invoke("a", { handler: "h", args: {}, renders: false }, async () => ({ value: {} }));
`;

let host: HostProgram;
beforeAll(async () => {
  host = await hostProgram(HOST);
});
afterAll(() => host.remove());

const started: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const each of started.splice(0)) each.kill("SIGKILL");
});

const slowedHost = async (boundary: string) => {
  const child = fileURLToPath(new URL("../../dist/child.cjs", import.meta.url));
  const running = spawn(process.execPath, [host.path, child, boundary], { stdio: ["pipe", "pipe", "inherit"] });
  started.push(running);
  const ended = once(running, "exit");
  expect(String(await once(running.stdout, "data"))).toContain("is slowed down");
  const family = (await familyOf(running.pid ?? 0)).slice(1);
  expect(family.length).toBeGreaterThanOrEqual(2);
  return { running, ended, family };
};

test.each(["bubblewrap", "namespaces", "unshare", "landlock", "none"])(
  "a process that is slowed down, isolated by %s, ends with its pool and with its killed host",
  async (boundary) => {
    const isAvailable = await findBoundary([boundary as BoundaryName]).then(
      () => true,
      () => false,
    );
    // A machine may lack a boundary; `none` is always available.
    if (!isAvailable) return expect(boundary).not.toBe("none");
    const closed = await slowedHost(boundary);
    closed.running.stdin.write("close it");
    expect(String(await once(closed.running.stdout, "data"))).toContain("closed");
    // Its host still runs.
    expect(await survivors(closed.family, 5_000)).toEqual([]);
    closed.running.kill();
    const killed = await slowedHost(boundary);
    killed.running.kill("SIGKILL");
    await Promise.all([closed.ended, killed.ended]);
    return expect(await survivors(killed.family, 10_000)).toEqual([]);
  },
  60_000,
);
