/** What goes wrong in a round: drawn from the seed, and begun when a share of the writes is acknowledged. */
import { setTimeout as elapse } from "node:timers/promises";
import { childrenOf, signal } from "./processes.mjs";
import { MOODS } from "./receiver.mjs";

/** Kills a program and starts it again after a moment. */
const killed = async (one, chance) => {
  await one.kill();
  await elapse(chance.between(0, 300));
  await one.start();
};

/** Lets processes stand still for a time. @units milliseconds */
const paused = async (pids, ms) => {
  for (const pid of pids) signal(pid, "SIGSTOP");
  await elapse(ms);
  for (const pid of pids) signal(pid, "SIGCONT");
};

/** Lets the receiver behave badly for a time, towards some or all. @units milliseconds */
const moody = (mood) => async (cast, chance) => {
  const share = chance.pick([0.2, 0.6, 1]);
  const own = chance.between(0, 1_000_000);
  // By what it tells of, so that it is the same for each try.
  const isStruck = ({ id = "" }) => (Number.parseInt(id.slice(-6), 16) + own) % 1_000 < share * 1_000;
  cast.receiver.mood = (one) => (isStruck(one) ? mood : "take");
  await elapse(chance.between(400, 2_500));
  cast.receiver.mood = () => "take";
};

/** @shape `{ weight, run(cast, chance) }` by name; resolves when it is over and everything stands again */
export const FAULTS = {
  "kill -9 a service": { weight: 4, run: (cast, chance) => killed(chance.pick(cast.services), chance) },
  "kill -9 both services": {
    weight: 2,
    run: (cast, chance) => Promise.all(cast.services.map((each) => killed(each, chance))),
  },
  "kill -9 PostgreSQL": {
    weight: 3,
    async run(cast) {
      signal(await cast.postmaster(), "SIGKILL");
      await elapse(50);
      await cast.untilServed();
    },
  },
  "kill -9 a backend": {
    weight: 2,
    async run(cast, chance) {
      const backends = childrenOf(await cast.postmaster()).filter(({ title }) => title.includes("[local]"));
      signal(chance.pick(backends)?.pid, "SIGKILL");
      await elapse(50);
      await cast.untilServed();
    },
  },
  "kill -9 the keeper": {
    weight: 1,
    async run(cast, chance) {
      await killed(cast.keeper, chance);
      await cast.untilServed();
    },
  },
  "kill -9 the app host": { weight: 2, run: (cast, chance) => killed(cast.host, chance) },
  "kill -9 the app": {
    weight: 2,
    run: async (cast, chance) => signal(chance.pick(childrenOf(cast.host.pid()))?.pid, "SIGKILL"),
  },
  "pause a service": {
    weight: 3,
    run: (cast, chance) => paused([chance.pick(cast.services).pid()], chance.between(200, 3_000)),
  },
  "pause PostgreSQL": {
    weight: 1,
    async run(cast, chance) {
      const postmaster = await cast.postmaster();
      const pids = [postmaster, ...childrenOf(postmaster).map(({ pid }) => pid)];
      await paused(pids, chance.between(200, 1_500));
    },
  },
  "pause the app host": { weight: 1, run: (cast, chance) => paused([cast.host.pid()], chance.between(200, 2_000)) },
  ...Object.fromEntries(
    Object.keys(MOODS)
      .filter((mood) => mood !== "take")
      .map((mood) => [`receiver ${mood}`, { weight: 1, run: moody(mood) }]),
  ),
};

const isMood = (name) => name.startsWith("receiver ");

/** Most faults of one round. */
const MOST = 3;
/** The shares of the writes between which faults begin. */
const [EARLIEST, LATEST] = [0.05, 0.9];

/** -> what goes wrong in a round, in order; only faults whose name holds `only`, where it is given. @shape `[{ name, at }]` */
export const planOf = (chance, only = "") => {
  const chosen = Object.entries(FAULTS).filter(([name]) => name.includes(only));
  const lots = chosen.flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));
  const drawn = Array.from({ length: 1 + chance.below(MOST) }, () => chance.pick(lots));
  // Two times of bad behaviour could use up all tries of an event, which is then a dead letter by rule.
  const names = drawn.filter((name, index) => !isMood(name) || drawn.findIndex(isMood) === index);
  const places = names.map(() => chance.between(EARLIEST, LATEST)).sort((a, b) => a - b);
  return names.map((name, index) => ({ name, at: places[index] }));
};

/** Does what was planned, one after the other, each when `reached` its share. */
export const rampage = async (plan, { cast, chance, reached }) => {
  for (const { name, at } of plan) {
    await reached(at);
    await FAULTS[name].run(cast, chance);
  }
};
