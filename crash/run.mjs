/** Kills and pauses all processes while clients write, and reports lost writes. */
import { startCluster } from "./cluster.mjs";
import { fileURLToPath } from "node:url";
import { HELP, optionsOf } from "./options.mjs";
import { isIsolated, runIsolated } from "./patroni/isolation.mjs";
import { findRequirements } from "./patroni/requirements.mjs";
import { playRound } from "./round.mjs";
import { report, roundLines, totalsOf } from "./table.mjs";
import { supportsIdempotencyKeys } from "./writers.mjs";

const failed = (text, status) => {
  console.error(`crash: ${text}`);
  process.exit(status);
};
let options;
try {
  options = optionsOf(process.argv.slice(2));
} catch (error) {
  failed(`${error.message} (see --help)`, 2);
}
if (options.help) {
  console.log(HELP);
  process.exit(0);
}

if (options.cluster && !isIsolated()) {
  try {
    findRequirements();
  } catch (error) {
    failed(error.message, 1);
  }
  process.exit(await runIsolated(fileURLToPath(import.meta.url), process.argv.slice(2)));
}

const { rounds: wanted, seed, only, sabotage, lanes, writes } = options;
const print = (line) => (options.json ? console.error(line) : console.log(line));
const tally = { unanswered: 0, refused: 0, broken: 0, replayed: 0, statuses: {}, longest: { ms: 0, outcome: "" } };
const rounds = [];
let isStopped = false;
// The first Ctrl-C stops after the current round, so that the report is complete; the second one stops at once.
process.on("SIGINT", () => {
  if (isStopped) process.exit(130);
  isStopped = true;
});

// Exiting kills the run's programs: see processes.mjs.
process.on("SIGTERM", () => process.exit(143));

print(
  `Starting ${options.cluster ? "three PostgreSQL nodes" : "PostgreSQL"}, two services and an app host. Seed ${seed}.`,
);
const cluster = await startCluster({ route: options.cluster ? options.route : undefined }).catch((error) =>
  failed(error.message, 1),
);
let isKeyed = false;
let failure;
try {
  isKeyed = await supportsIdempotencyKeys({ port: cluster.services[0].port, account: cluster.accounts[0] });
  if (!isKeyed) print("This service does not support Idempotency-Key: writes without a response are not checked.");
  for (let round = 1; round <= wanted && !isStopped; round++) {
    const result = await playRound(cluster, { round, seed, lanes, writes, only, sabotage, isKeyed, tally });
    rounds.push(result);
    print(roundLines(round, wanted, result));
  }
  // Detects rows of early rounds that a later kill removed.
  const found = rounds.reduce((sum, { messages }) => sum + messages, 0);
  const kept = await cluster.rows.count(`crash-${seed}`);
  if (kept < found) rounds.at(-1).lost += found - kept;
  if (kept > found && isKeyed) rounds.at(-1).doubled += kept - found;
  if (kept !== found) print(`  ${kept} messages at the end, ${found} messages after the rounds`);
} catch (error) {
  failure = error.message;
}

const totals = totalsOf(rounds);
const acknowledged = rounds.reduce((sum, round) => sum + round.acknowledged, 0);
const isClean = failure === undefined && acknowledged > 0 && Object.values(totals).every((count) => count === 0);
const isKept = options.keep || (!isClean && sabotage.length === 0);
await cluster.end({ keep: isKept });

const replicated = options.cluster ? ` --cluster --route ${options.route}` : "";
const chosen = `${replicated}${only === undefined ? "" : ` --only "${only}"`}${sabotage.length > 0 ? ` --sabotage ${sabotage}` : ""}`;
const command = `npm run crash -- --rounds ${wanted} --writes ${writes} --lanes ${lanes} --seed ${seed}${chosen}`;
if (rounds.length > 0) print(report({ rounds, tally, isKeyed, command }));
if (failure) console.error(`crash: the run ended early: ${failure}`);
if (isKept) print(`data and logs: ${cluster.folder}`);
if (options.json) console.log(JSON.stringify({ rounds: rounds.length, acknowledged, ...totals, seed }));
process.exit(isClean ? 0 : 1);
