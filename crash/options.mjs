/** Command-line options. */
import { parseArgs } from "node:util";
import { FAULTS } from "./nemesis.mjs";
import { REPLICATION_FAULTS } from "./patroni/faults.mjs";
import { DATABASE_ROUTES } from "./patroni/replicated-database.mjs";
import { SABOTAGE } from "./sabotage.mjs";

export const HELP = `npm run crash -- [--rounds 20] [--writes 5000] [--lanes 48] [--seed <n>]
                 [--only <words>] [--sabotage <names>] [--json] [--keep]
                 [--cluster] [--route haproxy]

Clients write users, conversations and messages to two services on one
PostgreSQL, each write with an Idempotency-Key, and record every
acknowledgement. Meanwhile services, PostgreSQL, the app host and the app are
killed with SIGKILL or paused, and the receiver of events responds with 500,
times out or drops connections. After each round all processes run again, and a
checker looks for acknowledged writes that were lost, duplicated, out of order
in their conversation, or never delivered to the receiver or the app.

  --rounds     number of rounds
  --writes     writes in each round; 200 rounds of 5,000 are a million
  --lanes      conversations that are written to concurrently
  --seed       seed of the random choices; printed, so that a run can be repeated
  --only       only faults whose name contains this text, such as "PostgreSQL",
               "pause" or "receiver" (default: all)
  --sabotage   violates a guarantee on purpose in the middle of each round, which
               the run must detect: lost, doubled, order, undelivered, or several
               separated by commas
  --json       prints a last line of JSON: {"rounds","acknowledged","lost",
               "doubled","outOfOrder","undelivered","seed"}
  --cluster    three PostgreSQL nodes with Patroni and etcd, and HAProxy, in network
               namespaces on this machine, in place of the embedded PostgreSQL. One
               fault a round: a node, its PostgreSQL, its Patroni or etcd is killed,
               frozen or cut off from the network, or the primary is switched over.
               Needs root on Linux, PostgreSQL 15 or later, etcd, HAProxy, nftables
               and Patroni 4.0 or later, installed or in the folder PATRONI_SOURCE, whose
               Python is PATRONI_PYTHON or that of the system. 3.0.3 to 3.3 run too, with
               one synchronous standby in place of a quorum. It says what to install
  --route      with --cluster, how Parley finds the primary: haproxy, or hosts, a
               DATABASE_URL that names all nodes
  --keep       keep the folder of data and logs, also when nothing was found

Examples:
  npm run crash
  npm run crash -- --rounds 200
  npm run crash -- --rounds 3 --writes 1000 --seed 7 --json
  npm run crash -- --rounds 1 --sabotage lost
  PATRONI_SOURCE=~/patroni npm run crash -- --cluster --rounds 50 --json

Exit status: 0 writes were acknowledged, and none was lost, doubled, out of order
or undelivered; 1 otherwise; 2 invalid options.`;

class WrongOption extends Error {}

const OPTIONS = {
  rounds: { type: "string", default: "20" },
  writes: { type: "string", default: "5000" },
  lanes: { type: "string", default: "48" },
  seed: { type: "string" },
  only: { type: "string" },
  sabotage: { type: "string" },
  cluster: { type: "boolean", default: false },
  route: { type: "string", default: "haproxy" },
  json: { type: "boolean", default: false },
  keep: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

const parsed = (args) => {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new WrongOption(error.message);
  }
};

/** @errors WrongOption */
export const optionsOf = (args) => {
  const values = parsed(args);
  const number = (name, least, most, usual) => {
    const text = values[name] ?? String(usual);
    if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new WrongOption(`--${name} must be a whole number from ${least} to ${most}, not '${text}'.`);
  };
  const sabotage = values.sabotage === undefined ? [] : values.sabotage.split(",");
  const unknown = sabotage.find((name) => !Object.hasOwn(SABOTAGE, name));
  if (unknown !== undefined)
    throw new WrongOption(`--sabotage takes ${Object.keys(SABOTAGE).join(", ")}, not '${unknown}'.`);
  if (!Object.hasOwn(DATABASE_ROUTES, values.route))
    throw new WrongOption(`--route takes ${Object.keys(DATABASE_ROUTES).join(" or ")}, not '${values.route}'.`);
  const names = Object.keys(values.cluster ? REPLICATION_FAULTS : FAULTS);
  if (values.only !== undefined && !names.some((name) => name.includes(values.only)))
    throw new WrongOption(`--only '${values.only}' matches no fault. Choose from: ${names.join("; ")}.`);
  return {
    rounds: number("rounds", 1, 1_000_000),
    writes: number("writes", 16, 10_000_000),
    lanes: number("lanes", 1, 1_000),
    seed: number("seed", 0, 9_999_999_999, Date.now() % 1_000_000_000),
    only: values.only,
    sabotage,
    cluster: values.cluster,
    route: values.route,
    json: values.json,
    keep: values.keep,
    help: values.help,
  };
};
