/** Cost of an app for the API: requests a second and p99, without an app, with Concierge, and while an app runs an endless loop. */
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openDatabase, statement } from "../../packages/database/dist/index.js";
import { median } from "../median.mjs";
import { beginConversations, CONNECTIONS, jobsOf } from "../messages.mjs";
import { startLoad } from "../processes.mjs";
import { writeApp } from "./apps.mjs";
import { startInstance } from "./instance.mjs";
import { atPace, quantilesOf } from "./pace.mjs";

const CONCIERGE = fileURLToPath(new URL("../..", import.meta.url));
const DRAIN_LIMIT_MS = 300_000;
const PACE_PER_SECOND = 100;
/** Concierge is published by the first command; the second one has it installed. */
const COMMANDS = { "parley serve": ["serve", "--demo"], "parley start": ["start"] };

const preparedInstance = async ({ name, command, server, folder, ended, progress }) => {
  const label = name.replace(" ", "-");
  progress(`cost: starts ${name}`);
  const url = await server.createDatabase(`cost_${command[0]}`);
  const instance = await startInstance({ command, dataFolder: `${folder}/${label}`, url, ended });
  const database = await openDatabase({ url, log: progress });
  ended(() => database.close());
  if (command[0] === "serve") {
    await instance.publish(CONCIERGE);
    await instance.install("acme", "concierge");
  }
  const { token } = await instance.admin("POST", "/admin/accounts/acme/tokens", { name: "bench" });
  const accounts = {
    plain: await instance.createAccount("plain"),
    concierge: { name: "acme", port: instance.port, token },
  };
  const sides = [
    { name: "no app", account: accounts.plain },
    { name: "Concierge installed", account: accounts.concierge },
  ];
  for (const side of sides) side.conversations = await beginConversations(side.account);
  const noisy = await instance.createAccount("noisy");
  await instance.publish(await writeApp(`${folder}/${label}-apps`, "noisy-app", "noisy"));
  await instance.install("noisy", "noisy-app");
  const noise = await instance.beginConversation(noisy);
  sides.push({ ...sides[0], name: "an app runs an endless loop", noise });
  return {
    name,
    instance,
    log: database.pool("parley_service", { max: 1 }),
    sides: sides.map((side) => ({ ...side, loaded: [], paced: [] })),
  };
};

const BEHIND = statement(
  "",
  `select (select max(seq) from outbox) > (select min(seq) from projection_cursors) as is_behind`,
);

/**
 * Waits until the account's apps have received all events and the inbox, search and analytics have read them, so that no measurement
 * disturbs the next measurement. -> when the apps had received them @units seconds
 */
const drained = async ({ instance, log }, { name }) => {
  const begun = performance.now();
  const untilNot = async (isPending) => {
    while (await isPending()) {
      if (performance.now() - begun > DRAIN_LIMIT_MS) throw new Error(`Events of ${name} are not delivered.`);
      await wait(200);
    }
    return (performance.now() - begun) / 1_000;
  };
  const handled = await untilNot(async () => (await instance.eventsToCome(name)) > 0);
  await untilNot(async () => (await log.one(BEHIND, [])).is_behind);
  await wait(1_000);
  return handled;
};

const measureLoaded = async (context, { account, conversations }) => {
  const { load, seconds } = context;
  const [posts] = jobsOf({ ...account, conversations });
  const result = await load.run({ ...posts, connections: CONNECTIONS, warmup: 1, seconds });
  if (result.failed > 0) throw new Error(`${result.failed} answers to POST were no 2xx`);
  return { ...result, drain: await drained(context, account) };
};

const measurePaced = async (context, { account, conversations, noise }) => {
  const { instance, seconds } = context;
  if (noise) {
    await instance.post(noise, `loop ${(seconds + 1) * 1_000}`);
    await wait(500);
  }
  const times = await atPace({ perSecond: PACE_PER_SECOND, seconds }, async (index) => {
    const { id, user_id } = conversations[index % conversations.length];
    const begun = performance.now();
    await instance.post({ id, user_id, token: account.token }, "Where is my order?");
    return performance.now() - begun;
  });
  await drained(context, account);
  if (noise) await wait(1_000);
  return quantilesOf(times);
};

const rowsOf = ({ name, sides }) => {
  const [base] = sides;
  const row = (side, key, what, ratioOf, ours) => ({
    name: `${name}: ${what}, ${side.name}`,
    ours,
    limit: null,
    ratio: Number(median(side[key].map((each, round) => ratioOf(each, base[key][round]))).toFixed(2)),
    p50: Number(median(side[key].map(({ p50 }) => p50)).toFixed(1)),
    p99: Number(median(side[key].map(({ p99 }) => p99)).toFixed(1)),
  });
  return [
    ...sides
      .filter(({ loaded }) => loaded.length > 0)
      .map((side) =>
        row(
          side,
          "loaded",
          "POST message",
          (a, b) => a.rate / b.rate,
          Math.round(median(side.loaded.map(({ rate }) => rate))),
        ),
      ),
    ...sides.map((side) =>
      row(
        side,
        "paced",
        `POST message, ${PACE_PER_SECOND} a second (ratio of p99)`,
        (a, b) => a.p99 / b.p99,
        PACE_PER_SECOND,
      ),
    ),
  ];
};

/** @shape `[{ name, ours, limit: null, ratio, p50, p99 }]`; ratio: relative to no app in the same round @units requests a second; milliseconds */
export const measureCost = async ({ server, folder, ended, rounds, seconds, progress }) => {
  const load = startLoad();
  ended(async () => load.stop());
  const rows = [];
  for (const [name, command] of Object.entries(COMMANDS)) {
    const stops = [];
    const prepared = await preparedInstance({
      name,
      command,
      server,
      folder,
      ended: (stop) => stops.push(stop) && ended(stop),
      progress,
    });
    const context = { load, instance: prepared.instance, log: prepared.log, seconds };
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round++)
      for (const side of round % 2 ? prepared.sides.toReversed() : prepared.sides) {
        const loaded = side.noise ? undefined : await measureLoaded(context, side);
        const paced = await measurePaced(context, side);
        const shown = loaded ? `${Math.round(loaded.rate)}/s, events handled ${loaded.drain.toFixed(0)} s later, ` : "";
        progress(`cost, ${name}, round ${round}, ${side.name}: ${shown}p99 at pace ${paced.p99.toFixed(1)} ms`);
        if (round === 0) continue;
        if (loaded) side.loaded.push(loaded);
        side.paced.push(paced);
      }
    rows.push(...rowsOf(prepared));
    for (const stop of stops.reverse()) await stop();
  }
  return rows;
};
