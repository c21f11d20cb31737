/** One round: everybody writes while things go wrong; then everything stands again, and all is compared. */
import { setTimeout as elapse } from "node:timers/promises";
import { chance as chanceOf } from "./chance.mjs";
import { check, expectedOf } from "./checker.mjs";
import { planOf, rampage } from "./nemesis.mjs";
import { SABOTAGE } from "./sabotage.mjs";
import { probe, writeAll } from "./writers.mjs";

/** How long events may take once everything stands again, as long as some still come. @units milliseconds */
const SILENCE = 20_000;
/** The same where promises are broken on purpose, and nothing else goes wrong. @units milliseconds */
const SHORT_SILENCE = 2_500;
/** The share of the writes at which promises are broken on purpose. */
const MIDDLE = 0.5;

/** Counts acknowledgements, and lets others wait for a share of them. */
const progressOf = (total) => {
  let waiting = [];
  let share = 0;
  const self = {
    count: 0,
    /** The longest time without one. @units milliseconds */
    longestGap: 0,
    last: performance.now(),
    acknowledged() {
      const now = performance.now();
      self.longestGap = Math.max(self.longestGap, now - self.last);
      self.last = now;
      self.count += 1;
      self.wake(self.count / total);
    },
    /** A share is reached, or all are for want of more. */
    wake(now) {
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

/** The rows of an account's lanes: users, and what hangs on them. */
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

/** Resolves when all that is expected was heard, or when nothing has come for a time. */
const untilHeard = async (receiver, expectations, patience) => {
  let left = expectations;
  let missing = Infinity;
  for (let since = performance.now(); performance.now() - since < patience; await elapse(10)) {
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

/** -> `{ plan, acknowledged, messages, seconds, longestGap, lost, doubled, outOfOrder, undelivered, examples }` */
export const playRound = async (cast, { round, seed, lanes, writes, only, sabotage, isKeyed, tally }) => {
  const began = performance.now();
  const chance = chanceOf(seed, round, "nemesis");
  // What is found is then what was broken on purpose.
  const plan = sabotage.length > 0 ? [] : planOf(chance, only);
  const progress = progressOf(Math.max(3, Math.ceil(writes / lanes)) * lanes);
  const { acknowledged, reached } = progress;
  const ends = [];
  const breakPromises = async () => {
    if (sabotage.length === 0) return;
    await reached(MIDDLE);
    for (const name of sabotage)
      ends.push(await SABOTAGE[name](cast, { seed, round, lanes, chance: chanceOf(seed, round, name) }));
  };

  cast.receiver.forget();
  const { accounts, services } = cast;
  const written = writeAll({ seed, round, lanes, writes, services, accounts, isKeyed, tally, acknowledged });
  const [lanesOf] = await Promise.all([
    // What was to begin later begins now where clients gave up before.
    written.finally(() => progress.wake(Infinity)),
    rampage(plan, { cast, chance, reached }),
    breakPromises(),
  ]);
  for (const end of ends) end?.();
  await probe({ seed, round, services, accounts, tally });
  const stood = performance.now();

  const rows = await rowsOf(cast, lanesOf);
  const expectations = accounts.flatMap(({ name: account }) => {
    const own = ofAccount(
      rows,
      lanesOf.filter((lane) => lane.account === account),
    );
    return cast.subscribersOf(account).map((name) => ({ name, expected: expectedOf(own, name) }));
  });
  await untilHeard(cast.receiver, expectations, sabotage.length > 0 ? SHORT_SILENCE : SILENCE);
  const heard = expectations.map((each) => ({ ...each, notes: cast.receiver.heard(each.name) }));
  return {
    plan: [...plan.map(({ name }) => name), ...sabotage.map((name) => `on purpose: ${name}`)],
    acknowledged: progress.count,
    messages: rows.messages.length,
    seconds: (performance.now() - began) / 1_000,
    /** From the last write and the last fault to the last event. */
    drain: (performance.now() - stood) / 1_000,
    longestGap: progress.longestGap,
    ...check({ written: lanesOf, rows, heard }),
  };
};
