/** One round: clients write while faults occur; then all processes are restarted and the results compared. */
import { setTimeout as elapse } from "node:timers/promises";
import { seededRandom } from "./seeded-random.mjs";
import { check, expectedOf } from "./checker.mjs";
import { planOf, runFaults } from "./nemesis.mjs";
import { REPLICATION_FAULTS } from "./patroni/faults.mjs";
import { SABOTAGE } from "./sabotage.mjs";
import { probe, writeAll } from "./writers.mjs";

/** How long to wait for further events after the last event, once all processes run again. @units milliseconds */
const SILENCE_TIMEOUT_MS = 20_000;
/** The same with --sabotage, where no other faults occur. @units milliseconds */
const SABOTAGE_SILENCE_TIMEOUT_MS = 2_500;
/** Timeout of one attempt on a replicated PostgreSQL: longer than any request may take, so that it is seen how long they take. @units milliseconds */
const REPLICATED_ATTEMPT_TIMEOUT_MS = 12_000;
/** Share of the writes at which sabotage starts. */
const SABOTAGE_AT_SHARE = 0.5;

/** Counts acknowledgements, and resolves promises when a share of them is reached. */
const progressOf = (total) => {
  let waiting = [];
  let share = 0;
  const self = {
    count: 0,
    /** Longest time between two acknowledgements. @units milliseconds */
    longestGap: 0,
    last: performance.now(),
    acknowledged() {
      const now = performance.now();
      self.longestGap = Math.max(self.longestGap, now - self.last);
      self.last = now;
      self.count += 1;
      self.resolveUpTo(self.count / total);
    },
    /** Resolves the promises up to a share; Infinity: all of them, when no more acknowledgements come. */
    resolveUpTo(now) {
      share = now;
      const due = waiting.filter(({ at }) => at <= share);
      if (due.length === 0) return;
      waiting = waiting.filter(({ at }) => at > share);
      for (const { resolve } of due) resolve();
    },
    reached: (at) => new Promise((resolve) => (at <= share ? resolve() : waiting.push({ at, resolve }))),
  };
  return self;
};

const rowsOf = async ({ rows }, written) => {
  const users = await rows.users(written.map(({ name }) => name));
  const conversations = await rows.conversations(users.map(({ id }) => id));
  return { users, conversations, messages: await rows.messages(conversations.map(({ id }) => id)) };
};

/** Rows that the lanes of one account wrote. */
const ofAccount = ({ users, conversations, messages }, lanes) => {
  const names = new Set(lanes.map(({ name }) => name));
  const own = users.filter(({ text }) => names.has(text));
  const ids = new Set(own.map(({ id }) => id));
  const talks = conversations.filter(({ user_id }) => ids.has(user_id));
  const talkIds = new Set(talks.map(({ id }) => id));
  return {
    users: own,
    conversations: talks,
    messages: messages.filter(({ conversation }) => talkIds.has(conversation)),
  };
};

/** Resolves when all expected events were received, or when no event has arrived for `silenceTimeoutMs`. */
const untilReceived = async (receiver, expectations, silenceTimeoutMs) => {
  let left = expectations;
  let missing = Infinity;
  for (let since = performance.now(); performance.now() - since < silenceTimeoutMs; await elapse(10)) {
    left = left.map(({ name, expected }) => ({
      name,
      expected: expected.filter((one) => !receiver.ids(name).has(one)),
    }));
    const now = left.reduce((sum, { expected }) => sum + expected.length, 0);
    if (now === 0) return;
    if (now < missing) since = performance.now();
    missing = now;
  }
};

/** -> `{ plan, acknowledged, messages, seconds, longestGap, longestRequest, lost, doubled, outOfOrder, undelivered, examples }` */
export const playRound = async (cluster, { round, seed, lanes, writes, only, sabotage, isKeyed, tally }) => {
  const began = performance.now();
  const random = seededRandom(seed, round, "nemesis");
  // With sabotage there are no other faults, so that each finding is caused by it.
  // One fault at a time on a replicated PostgreSQL, which is complete again before the next fault.
  const [faults, most] = cluster.replicated ? [REPLICATION_FAULTS, 1] : [];
  const plan = sabotage.length > 0 ? [] : planOf(random, only, faults, most);
  const progress = progressOf(Math.max(3, Math.ceil(writes / lanes)) * lanes);
  const { acknowledged, reached } = progress;
  const ends = [];
  const startSabotage = async () => {
    if (sabotage.length === 0) return;
    await reached(SABOTAGE_AT_SHARE);
    for (const name of sabotage)
      ends.push(await SABOTAGE[name](cluster, { seed, round, lanes, random: seededRandom(seed, round, name) }));
  };

  cluster.receiver.forget();
  const { accounts, services } = cluster;
  const attemptTimeoutMs = cluster.replicated ? REPLICATED_ATTEMPT_TIMEOUT_MS : undefined;
  tally.longest = { ms: 0, outcome: "" };
  const common = { seed, round, services, accounts, tally, attemptTimeoutMs };
  const written = writeAll({ ...common, lanes, writes, isKeyed, acknowledged });
  const [lanesOf] = await Promise.all([
    // Faults that are not due yet start now if clients gave up early.
    written.finally(() => progress.resolveUpTo(Infinity)),
    runFaults(plan, { cluster, random, reached, faults }),
    startSabotage(),
  ]);
  for (const end of ends) end?.();
  await probe(common);
  await cluster.untilServed();
  const settledAt = performance.now();

  const rows = await rowsOf(cluster, lanesOf);
  const expectations = accounts.flatMap(({ name: account }) => {
    const own = ofAccount(
      rows,
      lanesOf.filter((lane) => lane.account === account),
    );
    return cluster.subscribersOf(account).map((name) => ({ name, expected: expectedOf(own, name) }));
  });
  await untilReceived(
    cluster.receiver,
    expectations,
    sabotage.length > 0 ? SABOTAGE_SILENCE_TIMEOUT_MS : SILENCE_TIMEOUT_MS,
  );
  const deliveries = expectations.map((each) => ({ ...each, notes: cluster.receiver.accepted(each.name) }));
  return {
    plan: [...plan.map(({ name }) => name), ...sabotage.map((name) => `sabotage: ${name}`)],
    acknowledged: progress.count,
    messages: rows.messages.length,
    seconds: (performance.now() - began) / 1_000,
    /** Seconds from the last write and the last fault to the last event. */
    drain: (performance.now() - settledAt) / 1_000,
    longestGap: progress.longestGap,
    longestRequest: tally.longest,
    ...check({ written: lanesOf, rows, deliveries }),
  };
};
