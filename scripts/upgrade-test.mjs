/** `npm run upgrade-test`: upgrades an installation of the previous release under load, and takes the way back. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { ensureInstalled, root } from "./installed.mjs";

const HELP = `npm run upgrade-test [-- --json]: builds and installs the previous release, starts two machines of the previous
release on one database, and upgrades them one after the other while clients, a webhook and an app use them; then it goes back. Exit status 0 means that no
request failed, and that every message reached the webhook and the app in order.

  npm run upgrade-test                       from the release that test/upgrade/previous-release.json names
  npm run upgrade-test -- --from v0.2.0      from another tag or commit
  npm run upgrade-test -- --seconds 60       duration of each phase (default 15)
  npm run upgrade-test -- --json             prints {"from","phases","messages","lost","failed"}
  npm run upgrade-test -- --record v0.2.0    makes a tag or commit the previous release, for this command and for the test of migrations`;

const fail = (text) => {
  process.stderr.write(`upgrade-test: ${text}\n`);
  process.exit(1);
};
const options = () => {
  const texts = { from: { type: "string" }, seconds: { type: "string" }, record: { type: "string" } };
  try {
    return parseArgs({ options: { ...texts, json: { type: "boolean" }, help: { type: "boolean" } } }).values;
  } catch (error) {
    return fail(`${error.message}. Next: npm run upgrade-test -- --help`);
  }
};
const { from, seconds = "15", record, json, help } = options();
if (help) {
  console.log(HELP);
  process.exit(0);
}
if (!/^[1-9]\d{0,3}$/.test(seconds)) fail(`--seconds takes a whole number from 1 to 9999, not '${seconds}'.`);

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { commitOf, installedRelease, recordedRelease, treeOf } = await import("./upgrade/releases.mjs");
const report = (line) => process.stderr.write(`${line}\n`);

/** Writes down what the test of migrations compares with. */
const recordRelease = async (name) => {
  const commit = commitOf(name);
  report(`Reading the statements of ${name} …`);
  const tree = treeOf(commit);
  const { releaseOf, statementsOf } = await import("./upgrade/statements.mjs");
  const statements = await statementsOf(tree);
  const release = await releaseOf(tree);
  const folder = join(root, "test", "upgrade");
  writeFileSync(join(folder, "previous-statements.json.gz"), gzipSync(JSON.stringify(statements), { level: 9 }));
  writeFileSync(join(folder, "previous-release.json"), `${JSON.stringify({ commit, ...release }, null, 2)}\n`);
  console.log(`${name} (${commit}) is the previous release, with ${statements.length} statements.`);
};

const upgrade = async () => {
  const commit = commitOf(from ?? recordedRelease().commit);
  report(`Building and installing the previous release, ${from ?? commit.slice(0, 8)} …`);
  const previous = { name: "previous release", script: installedRelease(commit) };
  const present = { name: "this release", script: join(root, "packages/parley/bin/parley.mjs") };
  const { rollingUpgrade } = await import("./upgrade/rolling-upgrade.mjs");
  const result = await rollingUpgrade({ previous, present, phaseMs: Number(seconds) * 1_000, report });
  const { phases, messages, lost, failed, disorder, errors } = result;
  if (json) return void console.log(JSON.stringify({ from: commit, phases, messages, lost, disorder, failed, errors }));
  console.table(phases.map(({ failures: _failures, ...figures }) => figures));
  for (const { phase, failures } of phases) for (const failure of failures) console.log(`${phase}: ${failure}`);
  for (const line of errors) console.log(line);
  console.log(
    `${messages} messages: ${lost.webhook} did not reach the webhook, ${lost.app} did not reach the app, ${disorder} out of order. ${failed} requests failed.`,
  );
};

try {
  await (record === undefined ? upgrade() : recordRelease(record));
} catch (error) {
  fail(error.message);
}
// Connections that a failed step has left open do not keep the process.
process.exit();
