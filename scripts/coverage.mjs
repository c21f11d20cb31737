/** `npm run coverage`: line coverage of server/ by Concierge's tests, in the test process and in the app's process. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { writeNode } from "./lines-run/node.mjs";
import { asTypeScript, isCode } from "./lines-run/transform.mjs";
import { ensureInstalled, root } from "./installed.mjs";

const COVERAGE_MIN = 90;
const HELP = `npm run coverage [-- <test files>]: prints the line coverage of server/ by Concierge's tests. Exit status 1 below ${COVERAGE_MIN} %.`;

if (process.argv.includes("--help")) {
  console.log(HELP);
  process.exit(0);
}
ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { loadProject, createProjectTools } = await import("../packages/framework/dist/index.js");
const { linesRun, mapped } = await import("./lines-run/lines.mjs");

const sourcesBelow = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? sourcesBelow(path) : path.endsWith(".ts") ? [path] : [];
  });

/** Coverage reports of V8 in a folder, read one at a time, because there are many. */
function* reportsIn(folder) {
  for (const name of readdirSync(folder))
    try {
      yield* JSON.parse(readFileSync(join(folder, name), "utf8")).result;
    } catch {
      // Incomplete report of a process that was killed.
    }
}

/** Formats line numbers as ranges: "3-5, 9". */
const spans = (lines) =>
  lines
    .reduce((all, line) => {
      const last = all.at(-1);
      if (last && line === last[1] + 1) last[1] = line;
      else all.push([line, line]);
      return all;
    }, [])
    .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
    .join(", ");

const scratch = mkdtempSync(join(tmpdir(), "parley-coverage-"));
try {
  const reports = { tests: join(scratch, "tests"), app: join(scratch, "app") };
  for (const folder of Object.values(reports)) mkdirSync(folder);
  const preload = writeNode(scratch, reports);
  // The app's process runs as another user.
  for (const folder of [scratch, reports.app]) chmodSync(folder, 0o1777);
  const chosen = process.argv.slice(2);
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/jest/bin/jest.js"),
      "--forceExit",
      ...(chosen.length > 0 ? chosen : ["test/concierge/"]),
      "--maxWorkers=2",
    ],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, PARLEY_TEST_CAMPAIGN: "sampled", NODE_OPTIONS: `--import=${pathToFileURL(preload)}` },
    },
  );
  if (status !== 0) console.error("Some tests failed: the coverage below may be incomplete.");

  const { project } = await loadProject(root, await createProjectTools());
  const bundle = mapped(project.serverCode, project.serverMap, (source) => source);
  const ran = new Map(sourcesBelow("server").map((path) => [path, new Set()]));
  const add = (lines) => {
    for (const [path, some] of lines) for (const line of some) ran.get(path)?.add(line);
  };
  const sources = new Map([...ran.keys()].map((path) => [path, asTypeScript(join(root, path))]));
  const alone = new Map(
    [...sources]
      .filter(([, { code }]) => isCode(code))
      .map(([path, { code, map }]) => [path, mapped(code, map, () => path)]),
  );
  for (const { url, functions } of reportsIn(reports.app)) if (url === "server.js") add(linesRun(bundle, functions));
  for (const { url, functions } of reportsIn(reports.tests)) {
    const path = url.startsWith("file://") ? relative(root, fileURLToPath(url.split("?")[0])) : "";
    const own = alone.get(path);
    if (own) add(linesRun(own, functions));
  }

  const inBundle = bundle.lines();
  let [all, covered] = [0, 0];
  const row = (path, part, total, missing) =>
    console.log(
      `${path.padEnd(36)} ${String(part).padStart(5)} of ${String(total).padStart(5)}  ${(total ? (100 * part) / total : 100).toFixed(1).padStart(5)} %  ${missing}`,
    );
  console.log("");
  for (const [path, lines] of [...ran].sort()) {
    if (!alone.has(path)) continue;
    const packed = inBundle.get(path);
    // Lines that both transformations treat as code: one of them also maps lines with only a brace.
    const code = [...(alone.get(path)?.lines().get(path) ?? [])]
      .filter((line) => !packed || packed.has(line))
      .sort((one, other) => one - other);
    const missing = code.filter((line) => !lines.has(line));
    all += code.length;
    covered += code.length - missing.length;
    row(path, code.length - missing.length, code.length, spans(missing));
  }
  const percent = (100 * covered) / all;
  row("all of server/", covered, all, percent < COVERAGE_MIN ? `below ${COVERAGE_MIN} %` : "");
  process.exitCode = status === 0 && percent >= COVERAGE_MIN ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
