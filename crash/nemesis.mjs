/** The faults of a round: chosen by the seed, and started when a share of the writes is acknowledged. */
import { setTimeout as elapse } from "node:timers/promises";
import { childrenOf, signal } from "./processes.mjs";
import { RESPONSE_MODES } from "./receiver.mjs";

/** Kills a program and restarts it after a short time. */
export const killed = async (one, random) => {
  await one.kill();
  await elapse(random.between(0, 300));
  await one.start();
};

/** Stops processes with SIGSTOP for a time. @units milliseconds */
export const paused = async (pids, ms) => {
  for (const pid of pids) signal(pid, "SIGSTOP");
  await elapse(ms);
  for (const pid of pids) signal(pid, "SIGCONT");
};

/** Makes the receiver reject some or all events for a time. */
const rejectEvents = (mode) => async (cluster, random) => {
  const share = random.pick([0.2, 0.6, 1]);
  const own = random.between(0, 1_000_000);
  // Depends on the id of the event's object, so that the outcome is the same for each retry.
  const isRejected = ({ id = "" }) => (Number.parseInt(id.slice(-6), 16) + own) % 1_000 < share * 1_000;
  cluster.receiver.mode = (one) => (isRejected(one) ? mode : "take");
  await elapse(random.between(400, 2_500));
  cluster.receiver.mode = () => "take";
};

/** @shape `{ weight, run(cluster, random) }` by name; `run` resolves when the fault is over and all processes run again */
export const FAULTS = {
  "kill -9 a service": { weight: 4, run: (cluster, random) => killed(random.pick(cluster.services), random) },
  "kill -9 both services": {
    weight: 2,
    run: (cluster, random) => Promise.all(cluster.services.map((each) => killed(each, random))),
  },
  "kill -9 PostgreSQL": {
    weight: 3,
    async run(cluster) {
      signal(await cluster.postmaster(), "SIGKILL");
      await elapse(50);
      await cluster.untilServed();
    },
  },
  "kill -9 a backend": {
    weight: 2,
    async run(cluster, random) {
      const backends = childrenOf(await cluster.postmaster()).filter(({ title }) => title.includes("[local]"));
      signal(random.pick(backends)?.pid, "SIGKILL");
      await elapse(50);
      await cluster.untilServed();
    },
  },
  "kill -9 the supervisor": {
    weight: 1,
    async run(cluster, random) {
      await killed(cluster.supervisor, random);
      await cluster.untilServed();
    },
  },
  "kill -9 the app host": { weight: 2, run: (cluster, random) => killed(cluster.host, random) },
  "kill -9 the app": {
    weight: 2,
    run: async (cluster, random) => signal(random.pick(childrenOf(cluster.host.pid()))?.pid, "SIGKILL"),
  },
  "pause a service": {
    weight: 3,
    run: (cluster, random) => paused([random.pick(cluster.services).pid()], random.between(200, 3_000)),
  },
  "pause PostgreSQL": {
    weight: 1,
    async run(cluster, random) {
      const postmaster = await cluster.postmaster();
      const pids = [postmaster, ...childrenOf(postmaster).map(({ pid }) => pid)];
      await paused(pids, random.between(200, 1_500));
    },
  },
  "pause the app host": {
    weight: 1,
    run: (cluster, random) => paused([cluster.host.pid()], random.between(200, 2_000)),
  },
  ...Object.fromEntries(
    Object.keys(RESPONSE_MODES)
      .filter((mode) => mode !== "take")
      .map((mode) => [`receiver ${mode}`, { weight: 1, run: rejectEvents(mode) }]),
  ),
};

const isReceiverFault = (name) => name.startsWith("receiver ");

/** Maximum number of faults in a round. */
const MAX_FAULTS = 3;
/** Range of the shares of the writes at which faults start. */
const [EARLIEST, LATEST] = [0.05, 0.9];

/**
 * -> the faults of a round, in order; limited to faults whose name contains `only`, and to `most`. @shape faults: as `FAULTS`. -> `[{ name, at }]`
 */
export const planOf = (random, only = "", faults = FAULTS, most = MAX_FAULTS) => {
  const chosen = Object.entries(faults).filter(([name]) => name.includes(only));
  const lots = chosen.flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));
  const drawn = Array.from({ length: 1 + random.below(most) }, () => random.pick(lots));
  // Two periods of rejections could exhaust the retries of an event, which would then rightly become a dead letter.
  const names = drawn.filter((name, index) => !isReceiverFault(name) || drawn.findIndex(isReceiverFault) === index);
  const places = names.map(() => random.between(EARLIEST, LATEST)).sort((a, b) => a - b);
  return names.map((name, index) => ({ name, at: places[index] }));
};

/** Runs the planned faults one after the other, each when its share of the writes is `reached`. */
export const runFaults = async (plan, { cluster, random, reached, faults = FAULTS }) => {
  for (const { name, at } of plan) {
    await reached(at);
    await faults[name].run(cluster, random);
  }
};
