/** Tests apps as their users would: validates, packs, publishes and installs each app, and uses every page, event and function. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, styleText } from "node:util";
import { writeApps } from "./document.mjs";
import { libraries } from "./libraries.mjs";
import { pageOf } from "./page.mjs";
import { commonReason } from "./reasons.mjs";
import { useInstallation } from "./command.mjs";
import { startFakeServices } from "./fake-services.mjs";
import { HOST_OF_GRANTS } from "./install.mjs";
import { publishedName, startInstance } from "./instance.mjs";
import { judge } from "./steps.mjs";
import { named, publicApps } from "./targets.mjs";
import { hostsOf, valuesOf } from "./values.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const HELP = `npm run compat -- <folder or package> …
npm run compat -- --list [--only <text> …] [--from <folder>] [--write]
Both take [--installed <folder>] [--pictures <folder>] [--json].

Validates, packs and publishes each app on one 'parley serve', installs it on an account, opens each of its pages in the console with a live
conversation and presses its buttons, raises each of its events, calls each of its functions, and prints what worked. The run works on a copy of the app.
Requests of the app to other hosts are answered by a server on this machine.

--list       also test the public apps of test/compatibility/apps.json
--only       of the list, only apps whose name contains the text; may be given again
--from       a folder with clones of their repositories, named <owner>+<name>; without it, git clones them into a temporary folder
--installed  a folder in which the packages are installed: its command is tested instead of this repository's
--pictures   a folder for a picture of each installation page and each place
--json       print one line of JSON for each app, and nothing else
--write      write the apps' part of docs/app-authors/compatibility.md (with --list, and without --only)

Exit status 0: all worked, or failed for a reason that is not Parley's; 1: something else failed; 2: an app can't be read.`;

const fail = (message) => {
  console.error(`compat: ${message}`);
  process.exit(2);
};

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        list: { type: "boolean" },
        only: { type: "string", multiple: true, default: [] },
        from: { type: "string" },
        installed: { type: "string" },
        pictures: { type: "string" },
        json: { type: "boolean" },
        write: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    return fail(`${error.message} See --help.`);
  }
};
const { values: options, positionals } = read();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}
if (!options.list && positionals.length === 0) fail("name the folder or the package of an app, or --list. See --help.");

try {
  if (options.installed) useInstallation(options.installed);
} catch (error) {
  fail(error.message);
}

/** Creates a folder that is removed when this process ends. */
const temporaryFolder = (prefix) => {
  const folder = mkdtempSync(prefix);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
};
const base = temporaryFolder(join(tmpdir(), "parley-compatibility-"));
const targets = await Promise.all(positionals.map((path) => named(path, base)))
  .then((apps) => [...apps, ...(options.list ? publicApps({ from: options.from, base }, options.only) : [])])
  .catch((error) => fail(error.message));

/** Returns the starter of browsers. Its bundle imports packages of the repository: it stands where they are found. */
const browserStarter = async () => {
  const { build } = await import("esbuild");
  const bundle = join(temporaryFolder(join(root, "node_modules", ".compatibility-")), "browser.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["packages/framework/test/support/browser.ts"],
    bundle: true,
    outfile: bundle,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return (await import(pathToFileURL(bundle).href)).launchBrowser;
};
const rules = libraries(join(root, "node_modules", ".cache", "compatibility"));

/** Returns the known cause of a failed step: `own` defect of the app, `outside` (missing on this machine), or `parley`. */
const explained = ({ entry }, { step, reason }) => {
  const known = (entry.failures ?? []).find(({ of }) => new RegExp(of).test(step));
  return known ? { whose: known.whose, why: known.why } : commonReason(reason);
};

const print = (line) => {
  if (!options.json) console.log(line);
};
const closers = [];
/** Closes started resources, the last resource first. */
const closeAll = async () => {
  for (let close = closers.pop(); close; close = closers.pop()) await close().catch(() => undefined);
};
const stop = () => closeAll().finally(() => process.exit(130));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop);
// npm that is killed passes no signal on: this process is then adopted by another process.
const parent = process.ppid;
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && stop(), 500).unref();

/** Tests every app on one instance. Returns a record of each. */
const judgeAll = async () => {
  const fakeServices = await startFakeServices();
  closers.push(() => fakeServices.close());
  const hosts = new Set(
    targets.flatMap(({ folder, entry }) => [
      ...hostsOf(folder, valuesOf(folder, { token: "" }, entry.values)),
      HOST_OF_GRANTS,
      ...(entry.hosts ?? []),
    ]),
  );
  const maps = [...hosts].sort().flatMap((host) => ["--map", `${host}=${fakeServices.origin}`]);
  const instance = await startInstance(maps, { base, onStart: (stop) => closers.push(stop) });
  fakeServices.setService(new URL(instance.service).origin);
  const launchBrowser = await browserStarter();
  const browser = await launchBrowser();
  closers.push(() => browser.close());
  const signedIn = await instance.signIn(browser);
  const taken = new Set();
  const records = [];
  for (const [index, target] of targets.entries()) {
    print(`${styleText("bold", target.name)}  ${index + 1} of ${targets.length}`);
    const say = ({ step, ok, reason }) => {
      const known = ok ? undefined : explained(target, { step, reason });
      const mark = ok
        ? styleText("green", "worked")
        : known
          ? styleText("yellow", "known ")
          : styleText("red", "failed");
      print(`  ${mark}  ${step}${ok ? "" : `: ${reason}`}${known ? ` (${known.whose}: ${known.why})` : ""}`);
    };
    const { findings, steps } = await judge(
      { ...target, published: publishedName(target.name, taken) },
      { base, browser, instance, signedIn, fakeServices, rules, pictures: options.pictures, say },
    );
    const record = {
      name: target.name,
      ...(target.repository && { repository: target.repository, commit: target.commit, path: target.path }),
      needs: target.entry.needs ?? [],
      findings,
      steps: steps.map((step) => (step.ok ? step : { ...step, ...explained(target, step) })),
    };
    records.push(record);
    if (options.json) console.log(JSON.stringify(record));
  }
  return records;
};
const records = await judgeAll()
  .finally(closeAll)
  .catch((error) => {
    console.error(`compat: ${error.stack}`);
    process.exit(1);
  });

const stands = ({ steps }) => {
  const failed = steps.filter(({ ok }) => !ok);
  if (failed.length === 0) return "complete";
  return failed.every(({ whose }) => whose === "own" || whose === "outside") ? "explained" : "failed";
};
const count = (state) => records.filter((record) => stands(record) === state).length;
const counts = { complete: count("complete"), explained: count("explained"), failed: count("failed") };
if (options.write && options.list && options.only.length === 0) {
  writeApps(pageOf(records, counts, new Date().toISOString().slice(0, 10)));
  print("docs/app-authors/compatibility.md is written");
}
const failedSteps = records.flatMap(({ name, steps }) =>
  steps.filter(({ ok, whose }) => !ok && (!whose || whose === "parley")).map((step) => ({ name, ...step })),
);
if (failedSteps.length > 0) print("\nFailed for a reason of Parley's, or for one that nobody has explained:");
for (const { name, step, reason, why } of failedSteps) print(`  ${name}, ${step}: ${why ?? reason}`);
print(
  `${records.length} apps: ${counts.complete} complete, ${counts.explained} with failures that are not Parley's, ${counts.failed} failed`,
);
process.exitCode = counts.failed > 0 ? 1 : 0;
