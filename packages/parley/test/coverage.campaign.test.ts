import { spawnSync } from "node:child_process";
import { access, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { build } from "esbuild";
import type { CoverageReport } from "@parley/framework/authoring";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { appHarness } from "../../../test/support/app-harness.ts";
import { parley, ROOT, temporaryFolder } from "../../../test/support/parley-process.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** Coverage of an app's server/: recorded by `parley run` and `parley test`, displayed and required by `parley pack`. */

const manifest = (...functions: readonly string[]): string =>
  JSON.stringify({
    "platform-version": "3.0",
    modules: {
      common: {
        events: { onAppInstall: { handler: "onAppInstallHandler" } },
        functions: Object.fromEntries(functions.map((name) => [name, { timeout: 20 }])),
      },
      chat_conversation: { events: { onMessageCreate: { handler: "grade" } } },
    },
  });
const SERVER = `import { word } from "./lib/word.ts";

const grade = ({ points }: { points: number }) => {
  if (points > 10) {
    renderData(null, { grade: word("good") });
    return;
  }
  renderData(null, { grade: word("poor") });
};

export default {
  onAppInstallHandler: () => renderData(),
  grade,
};
`;
/** Tries to obtain the inspector session that records coverage: `console.profile` makes it emit, and emitters share a prototype. */
const FIND_SESSION = `
  let session;
  const { EventEmitter } = require("events");
  const emit = EventEmitter.prototype.emit;
  EventEmitter.prototype.emit = function () {
    if (typeof this?.post === "function") session = this;
    return true;
  };
  console.profile?.("any");
  console.profileEnd?.("any");
  EventEmitter.prototype.emit = emit;
`;
const ATTACK = `const outcomeOf = (attempt) => {
  try {
    return String(attempt());
  } catch (error) {
    return error.message;
  }
};
module.exports.attack = () => renderData(null, {
  inspector: outcomeOf(() => typeof require("inspector").Session),
  file: outcomeOf(() => require("fs").writeFileSync("FOLDER/.parley/coverage.json", "{}")),
  session: outcomeOf(() => {${FIND_SESSION}return typeof session;}),
});
`;
const FILES = {
  "manifest.json": manifest("grade"),
  "config/iparams.json": "{}",
  "config/requests.json": "{}",
  "server/server.ts": SERVER,
  "server/lib/word.ts": `export const word = (text: string): string => {
  if (text === "never") {
    return "";
  }
  return text;
};
`,
  "server/lib/greeting.ts": undefined,
};

const temporary = fileFixture(() => temporaryFolder("parley-coverage-"));
const harness = fileFixture(() => appHarness(FILES, false));

const packed = () => join(temporary.folder, "app.zip");
const pack = (...args: readonly string[]) => parley(["pack", "--out", packed(), ...args], { cwd: harness.folder });
const report = async (): Promise<CoverageReport> => {
  const { stdout } = await pack("--json");
  return (JSON.parse(stdout) as { coverage: CoverageReport }).coverage;
};
/** Runs the app with `--coverage`, calls the functions, and stops the app as its author does. */
const counted = async (...functions: readonly (readonly [string, object])[]) => {
  const run = harness.startInBackground("run", "--json", "--install", "--coverage");
  await waitUntil(() => run.output().includes("\n") || run.hasEnded());
  const outputs: unknown[] = [];
  for (const [name, args] of functions) {
    const { stdout } = await harness.call("event", name, "--data", JSON.stringify(args), "--json");
    outputs.push((JSON.parse(stdout) as { output: unknown }).output);
  }
  await run.end();
  return outputs;
};
const refused = async (...args: readonly string[]) => {
  const { status, stderr } = await pack(...args);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^parley: [^\n]+\n$/);
  await expect(access(packed())).rejects.toThrow("ENOENT");
  return stderr;
};

describe("without recorded coverage, parley", () => {
  test("pack says that there is no coverage, and packs", async () => {
    const { status, stdout } = await pack();
    expect(status).toBe(0);
    expect(stdout).toContain("Coverage of server/ was not measured: run its tests with 'npx parley test --coverage'");
    expect(Object.keys(JSON.parse((await pack("--json")).stdout) as object)).toEqual(["file", "bytes", "sha256"]);
    await rm(packed());
  });

  test("pack --min-coverage fails and writes no package", async () => {
    expect(await refused("--min-coverage", "0")).toContain("coverage was not measured");
  });

  test.each(["eighty", "101", "-1", ""])("pack --min-coverage %j names the permitted values", async (percent) => {
    expect(await refused(`--min-coverage=${percent}`)).toContain("a percentage from 0 to 100");
  });
});

describe("coverage of parley run --coverage", () => {
  test("is printed for each file and contains only code that ran", async () => {
    await counted();
    const before = await report();
    expect(before.files.map(({ path }) => path)).toEqual(["server/lib/word.ts", "server/server.ts"]);
    const [word] = before.files;
    expect(word?.functions).toEqual({ covered: 0, total: 1 });
    const { stdout } = await pack();
    expect(stdout).toMatch(/^Coverage of server\/, measured \d{4}-/m);
    expect(stdout).toMatch(/^ +lines +functions +branches$/m);
    expect(stdout).toMatch(/^ {2}server\/lib\/word\.ts +[\d.]+ % +0\.0 % +[\d.]+ %$/m);
    await rm(packed());
    const words = await refused("--min-coverage", "99");
    expect(words).toMatch(/--min-coverage is 99: [\d.]+ % of the lines of server\/ have run/);
  });

  test("accumulates over runs, in lines, functions and branches, until --min-coverage passes", async () => {
    const [before] = [await report()];
    expect(await counted(["grade", { points: 12 }])).toEqual([{ grade: "good" }]);
    const once = await report();
    expect(once.total.lines.covered).toBeGreaterThan(before?.total.lines.covered ?? Infinity);
    expect(once.files.find(({ path }) => path === "server/lib/word.ts")?.functions).toEqual({ covered: 1, total: 1 });
    await counted(["grade", { points: 3 }]);
    const twice = await report();
    const server = twice.files.find(({ path }) => path === "server/server.ts");
    for (const { covered, total } of [server?.lines, server?.functions, server?.branches].map(
      (count) => count ?? { covered: 0, total: 1 },
    ))
      expect(covered).toBe(total);
    // One branch of lib/word.ts never runs.
    expect(twice.total.branches.covered).toBe(twice.total.branches.total - 1);
    expect(twice.total.lines.covered).toBeLessThan(twice.total.lines.total);
    await rm(packed());
    expect((await pack("--min-coverage", "80")).status).toBe(0);
    await rm(packed());
    await refused("--min-coverage", "100");
  });

  test("is outdated after a change of a source: pack says so, and --min-coverage fails", async () => {
    await harness.write("server/lib/word.ts", "export const word = (text: string): string => `${text}!`;\n");
    expect((await pack()).stdout).toContain("server/lib/word.ts has changed since coverage was measured");
    await rm(packed());
    expect(await refused("--min-coverage", "10")).toContain("server/lib/word.ts has changed");
    await counted(["grade", { points: 3 }]);
    const { outdated, total } = await report();
    expect(outdated).toEqual([]);
    expect(total.lines.covered).toBe(total.lines.total);
    await rm(packed());
  });
});

describe("code with recorded coverage", () => {
  test("can't write the coverage file, has no inspector, and can't obtain the recording session", async () => {
    await harness.write("manifest.json", manifest("grade", "attack"));
    await harness.write("server/attack.js", ATTACK.replace("FOLDER", harness.folder));
    await harness.write(
      "server/server.ts",
      SERVER.replace("  grade,\n", "  grade,\n  attack,\n").replace("\n", '\nimport { attack } from "./attack.js";\n'),
    );
    const [outcome] = await counted(["attack", {}]);
    expect(outcome).toEqual({
      inspector: "Cannot use module 'inspector' in a serverless app",
      file: expect.stringMatching(/serverless app/),
      session: "undefined",
    });
    const file = await readFile(join(harness.folder, ".parley/coverage.json"), "utf8");
    expect(JSON.parse(file)).toMatchObject({ version: 1, files: { "server/attack.js": expect.anything() } });
  });

  describe("code with Node's own console, whose profile() makes a session emit,", () => {
    const foundBy = (begin: string): string => {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ["-e", `${begin}${FIND_SESSION}process.stdout.write(typeof session)`],
        { encoding: "utf8" },
      );
      expect(stderr).toBe("");
      return stdout;
    };

    test("can obtain a session that Node creates", () => {
      const session = 'const s = new (require("inspector").Session)(); s.connect(); s.post("Profiler.enable");';
      expect(foundBy(session)).toBe("object");
    });

    test("can't obtain the recording session", async () => {
      const { outputFiles } = await build({
        entryPoints: [join(ROOT, "packages/framework/src/runtime/child/coverage.ts")],
        bundle: true,
        platform: "node",
        format: "iife",
        globalName: "counter",
        write: false,
      });
      const program = outputFiles[0]?.text ?? "";
      expect(foundBy(`${program} counter.beginCoverage("server.js", () => undefined);`)).toBe("undefined");
    });
  });
});

test("parley test --coverage records the code that the app's tests call", async () => {
  const init = await parley(["init", "tested"], { cwd: temporary.folder });
  expect(init.status).toBe(0);
  await symlink(join(ROOT, "node_modules"), join(temporary.folder, "node_modules"));
  const folder = join(temporary.folder, "tested");
  const { status, stderr } = await parley(["test", "--json", "--coverage", folder]);
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const { stdout } = await parley(["pack", "--json"], { cwd: folder });
  const { coverage } = JSON.parse(stdout) as { coverage: CoverageReport };
  expect(coverage.outdated).toEqual([]);
  expect(coverage.total.lines.covered).toBeGreaterThan(0);
});
