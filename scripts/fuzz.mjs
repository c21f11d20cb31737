/** `npm run fuzz`: sends requests generated from the service's OpenAPI document to a temporary service, until a response violates the document. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled, root } from "./installed.mjs";

const HELP = `npm run fuzz -- [--requests 100000] [--seed <n>] [--lanes 8]

Sends requests generated from the service's OpenAPI document: valid, nearly valid and random ones, in sequences that use the ids of
earlier responses. Every response is compared with the document. The first sequence with an undocumented response is minimized and
printed as curl commands.

  --requests   number of requests
  --seed       seed of the generator; printed at the start, so that a run can be repeated
  --lanes      number of concurrent sequences

Exit status: 0 all responses are documented and none is 5xx; 1 otherwise; 2 invalid options.`;

const wrong = (text) => {
  console.error(`fuzz: ${text} (see --help)`);
  process.exit(2);
};
const options = {
  requests: { type: "string" },
  seed: { type: "string" },
  lanes: { type: "string" },
  help: { type: "boolean" },
};
let values;
try {
  ({ values } = parseArgs({ options }));
} catch (error) {
  wrong(error.message);
}
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const number = (name, usual, most) => {
  const text = values[name] ?? String(usual);
  return /^\d{1,9}$/.test(text) && Number(text) > 0 && Number(text) <= most
    ? Number(text)
    : wrong(`--${name} must be a whole number from 1 to ${most}, not '${text}'.`);
};
const requests = number("requests", 100_000, 100_000_000);
const seed = number("seed", Date.now() % 1_000_000_000, 1_000_000_000);
const lanes = number("lanes", 8, 64);

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { build: bundle } = await import("esbuild");
const cache = join(root, "node_modules/.cache/parley");
mkdirSync(cache, { recursive: true });
await bundle({
  entryPoints: [join(root, "packages/service/test/fuzz/fuzz.ts")],
  outfile: join(cache, "fuzz.mjs"),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
const { fuzz } = await import(join(cache, "fuzz.mjs"));
const { openDatabase } = await import("../packages/database/dist/index.js");
const { startService } = await import("../packages/service/dist/index.js");
const { default: progress } = await import("cli-progress");

const folder = mkdtempSync(join(tmpdir(), "parley-fuzz-"));
const faults = [];
const database = await openDatabase({ dataFolder: folder });
const service = await startService({
  database,
  port: 0,
  objectsFolder: join(folder, "objects"),
  config: { callsPerHour: 1_000_000_000 },
  log: (line) => faults.push(line),
});
let stopping;
const stop = () =>
  (stopping ??= (async () => {
    await service.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  })());
process.once("SIGINT", () => void stop().then(() => process.exit(130)));

await service.admin.ensureDemo();
const { token } = await service.admin.issueToken({ account: "acme", name: "fuzz" });
console.log(`Sending ${requests.toLocaleString("en")} requests, seed ${seed}, ${lanes} concurrent sequences.`);
const startTime = performance.now();
const bar = process.stdout.isTTY
  ? new progress.SingleBar({
      format: "  {bar} {percentage} %  {value} of {total}, {eta_formatted} left",
      hideCursor: true,
    })
  : undefined;
bar?.start(requests, 0);
let lastPrinted = 0;
const { sent, answers, finding } = await fuzz({
  url: service.url,
  token,
  requests,
  seed,
  lanes,
  progress: (count) => {
    bar?.update(Math.min(count, requests));
    if (bar || count - lastPrinted < requests / 10) return;
    lastPrinted = count;
    console.log(`  ${count} sent`);
  },
});
bar?.stop();
await stop();

const byOperation = new Map();
for (const [key, count] of answers) {
  const [id, code] = key.split(" ");
  byOperation.set(id, [...(byOperation.get(id) ?? []), `${code}: ${count}`]);
}
for (const [id, codes] of [...byOperation].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`  ${id.padEnd(26)} ${codes.sort().join("  ")}`);
const seconds = Math.round((performance.now() - startTime) / 1000);
if (finding || faults.length > 0) {
  console.error(`\n${finding?.fault ?? "The service logged a fault"}`);
  if (finding) console.error(`\n${finding.lines.join("\n")}\n\n${finding.answer}`);
  for (const line of faults.slice(0, 3)) console.error(`\n${line}`);
  console.error(
    `\nNext: send these requests to a service that you start with 'npm start', or run again with --seed ${seed}.`,
  );
}
console.log(
  `${sent} requests in ${seconds} s: ${finding ? "found an undocumented response" : "all responses are documented"}.`,
);
process.exitCode = finding || faults.length > 0 ? 1 : 0;
