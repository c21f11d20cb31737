/** The faults of a replicated PostgreSQL. Each ends when all processes run again and all nodes replicate. */
import { setTimeout as elapse } from "node:timers/promises";
import { killed, paused } from "../nemesis.mjs";
import { childrenOf, signal } from "../processes.mjs";
import { plugIn, rejoin, separate, unplug } from "./network.mjs";

/** How long a node is gone; the longer times are longer than the primary's lease of 20 s. @units milliseconds */
const SHORT_MS = [500, 6_000];
const LONG_MS = [21_000, 28_000];

const standbyOf = async ({ nodes, leader }, random) => {
  const primary = await leader();
  return random.pick(nodes.filter((node) => node !== primary));
};
const leaderOf = (replicated) => replicated.leader();

/** Kills all programs of a node, and starts them after a time. */
const killNode = (choose, range) => async (replicated, random) => {
  const node = await choose(replicated, random);
  const goneMs = random.between(...range);
  await node.kill();
  await elapse(goneMs);
  node.start();
};

const freezeNode = (choose, range) => async (replicated, random) => {
  const node = await choose(replicated, random);
  await paused(await node.pids(), random.between(...range));
};

const killProgram = (program, choose, range) => async (replicated, random) => {
  const node = await choose(replicated, random);
  const goneMs = random.between(...range);
  signal(node.pidOf(program), "SIGKILL");
  await elapse(goneMs);
  node.start();
};

const cutOff = (choose, range) => async (replicated, random) => {
  const { name } = await choose(replicated, random);
  await unplug(name);
  await elapse(random.between(...range));
  await plugIn(name);
};

/** Faults of the cluster, by name; `{ weight, strike(replicated, random) }`. */
const STRIKES = {
  "kill -9 the primary's PostgreSQL": {
    weight: 3,
    async strike({ leader }) {
      signal(await (await leader()).postmaster(), "SIGKILL");
    },
  },
  "kill -9 the primary's node": { weight: 5, strike: killNode(leaderOf, LONG_MS) },
  "kill -9 the primary's node, back at once": { weight: 1, strike: killNode(leaderOf, SHORT_MS) },
  "kill -9 a standby's node": { weight: 2, strike: killNode(standbyOf, SHORT_MS) },
  "kill -9 the primary's Patroni": { weight: 2, strike: killProgram("patroni", leaderOf, SHORT_MS) },
  "kill -9 the primary's etcd": { weight: 1, strike: killProgram("etcd", leaderOf, SHORT_MS) },
  "freeze the primary's node": { weight: 4, strike: freezeNode(leaderOf, LONG_MS) },
  "freeze the primary's node shortly": { weight: 2, strike: freezeNode(leaderOf, SHORT_MS) },
  "freeze a standby's node": { weight: 2, strike: freezeNode(standbyOf, LONG_MS) },
  "freeze the primary's PostgreSQL": {
    weight: 2,
    async strike({ leader }, random) {
      const postmaster = await (await leader()).postmaster();
      const pids = [postmaster, ...childrenOf(postmaster).map(({ pid }) => pid)];
      await paused(pids, random.between(...LONG_MS));
    },
  },
  "cut the primary off": { weight: 4, strike: cutOff(leaderOf, LONG_MS) },
  "cut a standby off": { weight: 2, strike: cutOff(standbyOf, LONG_MS) },
  "cut the primary off from the other nodes": {
    weight: 3,
    async strike({ leader, nodes }, random) {
      const primary = await leader();
      const others = nodes.filter((node) => node !== primary).map(({ address }) => address);
      await separate(primary.name, others);
      await elapse(random.between(...LONG_MS));
      await rejoin(primary.name);
    },
  },
  switchover: { weight: 5, strike: ({ switchover }, random) => switchover(random) },
};

/** @shape `{ weight, run(cluster, random) }` by name, as the faults of one PostgreSQL */
export const REPLICATION_FAULTS = {
  ...Object.fromEntries(
    Object.entries(STRIKES).map(([name, { weight, strike }]) => [
      name,
      {
        weight,
        async run({ replicated }, random) {
          await strike(replicated, random);
          await replicated.untilComplete();
        },
      },
    ]),
  ),
  "kill -9 a service": { weight: 1, run: (cluster, random) => killed(random.pick(cluster.services), random) },
  "kill -9 HAProxy": {
    weight: 1,
    async run({ replicated }, random) {
      signal(replicated.proxyPid(), "SIGKILL");
      await elapse(random.between(0, 1_000));
      replicated.startProxy();
    },
  },
};
