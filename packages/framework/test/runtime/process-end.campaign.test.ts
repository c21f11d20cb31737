import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { findBoundary, type BoundaryName } from "../../src/sandbox/boundary.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";
import { hostProgram, type HostProgram } from "../support/host-program.ts";
import { familyOf, processesNow, survivors } from "../support/process-tree.ts";

/** A host with a single app process. */
const HOST = `
import { readFileSync } from "node:fs";
import { startAppProcess } from "../../src/runtime/process/app-process.ts";
import { createLauncher } from "../../src/runtime/process/process-link.ts";
import { findBoundary } from "../../src/sandbox/boundary.ts";
import { defaultHostSettings } from "../../src/environment/settings.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";
const process_ = startAppProcess({
  launch: createLauncher(await findBoundary(process.argv[3].split(","))),
  program: readFileSync(process.argv[2], "utf8"),
  code: "exports.h = async () => { console.log('begun'); await $db.get('x'); for (;;); };",
  settings: defaultHostSettings,
  trace: (text) => text,
  log: (_level, text) => console.log(text),
  answer: async () => ({ value: {} }),
});
const call = process_.call("h", {}, false).catch((error) => console.log(error.message));
process.stdin.once("data", () => process_.kill("the test says so"));
await call;
`;

let host: HostProgram;
beforeAll(async () => {
  host = await hostProgram(HOST);
});
afterAll(() => host.remove());

/** Each boundary that this machine offers, and `none`. */
const BOUNDARIES = ["bubblewrap", "namespaces", "unshare", "landlock", "none"];
let available: readonly string[];
beforeAll(async () => {
  const tried = await Promise.all(
    BOUNDARIES.map((name) =>
      findBoundary([name as BoundaryName]).then(
        () => [name],
        () => [],
      ),
    ),
  );
  available = tried.flat();
});

/** Starts a host whose app loops forever. Returns the pids of its process tree. */
async function looping(boundary: string) {
  const child = fileURLToPath(new URL("../../dist/child.cjs", import.meta.url));
  const running = spawn(process.execPath, [host.path, child, boundary], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(running, "exit");
  await once(running.stdout, "data");
  // At least the launcher and the app's process.
  const family = await waitUntil(async () => {
    const found = (await familyOf(running.pid ?? 0)).slice(1);
    return found.length >= 2 && found;
  });
  return { running, ended, family };
}

test("an ended process leaves no process, not even a zombie", async () => {
  const { running, ended, family } = await looping("namespaces,none");
  running.stdin.write("end it");
  expect(String(await once(running.stdout, "data"))).toContain("the test says so");
  expect((await processesNow()).filter(({ pid }) => family.includes(pid))).toEqual([]);
  running.kill();
  await ended;
});

test.each(
  sampleRows(
    (["SIGKILL", "SIGTERM", "SIGINT"] as const).flatMap((signal) =>
      BOUNDARIES.map((boundary) => [boundary, signal] as const),
    ),
    4,
  ),
)(
  "a handler in an endless loop, isolated by %s, ends with its host when the host gets %s",
  async (boundary, signal) => {
    // A machine may lack a boundary; `none` is always available.
    if (!available.includes(boundary)) return expect(available).toContain("none");
    const { running, ended, family } = await looping(boundary);
    running.kill(signal);
    await ended;
    return expect(await survivors(family, 10_000)).toEqual([]);
  },
);
