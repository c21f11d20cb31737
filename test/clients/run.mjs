/** Runs public clients, unchanged as published, against a Parley on this machine and calls every function of each. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, styleText } from "node:util";
import { writeClients } from "../compatibility/document.mjs";
import { pageOf } from "./page.mjs";
import { startParley } from "./parley.mjs";

const drivers = fileURLToPath(new URL("drivers", import.meta.url));
const HELP = `node test/clients/run.mjs [name …] [--from <folder>] [--json] [--write]

Starts Parley on free ports with data of its own and uses all that each public client of test/clients/drivers offers; without a name, all of
them. The clients are brought by git and npm, and nothing of theirs is kept or changed.

--from   a folder with clones of their repositories, named <owner>+<name>; else git brings them into a temporary folder
--json   print a record of each client, a line each, and nothing else
--write  write the clients' part of docs/app-authors/compatibility.md (without names)

Exit status 0: all worked, or failed for a reason that is not Parley's; 1: something else failed; 2: a client can't be brought or run.`;

const fail = (message) => {
  console.error(`clients: ${message}`);
  process.exit(2);
};
const read = () => {
  try {
    const options = {
      from: { type: "string" },
      json: { type: "boolean" },
      write: { type: "boolean" },
      help: { type: "boolean" },
    };
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return fail(`${error.message} See --help.`);
  }
};
const { values: options, positionals: names } = read();
if (options.help) {
  console.log(HELP);
  process.exit(0);
}

const all = await Promise.all(
  readdirSync(drivers)
    .toSorted()
    .map(async (file) => (await import(pathToFileURL(join(drivers, file)).href)).default),
);
const unknown = names.find((name) => !all.some((driver) => driver.name === name));
if (unknown) fail(`${unknown} is not among the clients: ${all.map(({ name }) => name).join(", ")}.`);
const wanted = all.filter(({ name }) => names.length === 0 || names.includes(name));

const base = mkdtempSync(join(tmpdir(), "parley-client-code-"));
const run = (command, args, cwd) =>
  spawnSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] }).status === 0;

/** Clones the client's repository at its recorded commit, or only the folders that `paths` lists. @errors Error */
const clone = ({ repository, commit, paths }, folder) => {
  const local = options.from && join(options.from, repository.replace("/", "+"));
  const origin = local && existsSync(local) ? local : `https://github.com/${repository}`;
  const how = paths ? ["--no-checkout", ...(local === origin ? [] : ["--filter=blob:none"])] : [];
  const what = paths ? [commit, "--", ...paths] : [commit];
  if (!run("git", ["clone", "-q", ...how, origin, folder]) || !run("git", ["checkout", "-q", ...what], folder))
    throw new Error(`${repository} can't be brought at ${commit}: see git's lines above.`);
};

/** Fetches the client with git or npm, and its dependencies. @errors Error */
const bring = (driver) => {
  const folder = join(base, driver.name);
  if (driver.repository) clone(driver, folder);
  else mkdirSync(folder);
  const named = driver.package ? { [driver.package]: driver.version } : {};
  if (driver.overrides) writeFileSync(join(folder, "package.json"), JSON.stringify({ overrides: driver.overrides }));
  const packages = Object.entries({ ...named, ...driver.dependencies }).map(([one, version]) => `${one}@${version}`);
  const how = [
    "install",
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const where = ["--prefix", driver.packagesIn ? join(folder, driver.packagesIn) : folder];
  if (packages.length > 0 && !run("npm", [...how, ...where, ...packages], folder))
    throw new Error(`${packages.join(", ")} can't be installed: see npm's lines above.`);
};

const print = (line) => {
  if (!options.json) console.log(line);
};
const parley = await startParley().catch((error) => fail(error.message));
const records = [];
for (const driver of wanted) {
  const { name, repository, commit, package: packageName, version, language, needs = [], failures = [] } = driver;
  print(styleText("bold", `${name}  ${repository ?? packageName}`));
  const steps = [];
  const step = async (what, use) => {
    const outcome = await use().then(
      () => ({ ok: true }),
      (error) => ({
        ok: false,
        reason: String(error.message ?? error)
          .replace(/\s+/g, " ")
          .slice(0, 400),
      }),
    );
    const knownFailure = outcome.ok ? undefined : failures.find(({ of }) => new RegExp(of).test(what));
    const mark = outcome.ok
      ? styleText("green", "worked")
      : knownFailure
        ? styleText("yellow", "known ")
        : styleText("red", "failed");
    print(
      `  ${mark}  ${what}${outcome.ok ? "" : `: ${outcome.reason}`}${knownFailure ? ` (${knownFailure.whose}: ${knownFailure.why})` : ""}`,
    );
    steps.push({ step: what, ...outcome, ...(knownFailure && { whose: knownFailure.whose, why: knownFailure.why }) });
  };
  try {
    bring(driver);
    await driver.drive({ parley, folder: join(base, name), step });
  } catch (error) {
    await step("starts", () => Promise.reject(error));
  }
  const origin = repository ? { repository, commit } : { package: packageName };
  const record = { name, ...origin, ...(version && { version }), language, needs, steps };
  records.push(record);
  if (options.json) console.log(JSON.stringify(record));
}
await parley.close();
rmSync(base, { recursive: true, force: true });

const isOurs = ({ ok, whose }) => !ok && (!whose || whose === "parley");
const failed = records.filter(({ steps }) => steps.some(isOurs));
const explained = records.filter(({ steps }) => !steps.some(isOurs) && steps.some(({ ok }) => !ok));
const counts = {
  complete: records.length - failed.length - explained.length,
  explained: explained.length,
  failed: failed.length,
};
if (options.write && names.length === 0) {
  writeClients(pageOf(records, counts, new Date().toISOString().slice(0, 10)));
  print("docs/app-authors/compatibility.md is written");
}
print(
  `${records.length} clients: ${counts.complete} complete, ${counts.explained} with failures that are not Parley's, ${counts.failed} failed`,
);
process.exitCode = counts.failed > 0 ? 1 : 0;
