/** What five quiet installations notice of a noisy one. */
import { setTimeout as wait } from "node:timers/promises";
import { median } from "../median.mjs";
import { writeApp } from "./apps.mjs";
import { startInstance } from "./instance.mjs";
import { createEventMeter, quantilesOf } from "./pace.mjs";

const QUIET = 5;
const PACE = { perSecond: 50, seconds: 20 };
/** Runs before the measured ones, in which the processes compile the code that they use. */
const WARM_UPS = 3;
/** Time of the noise before and after the measured events. @units milliseconds */
const MARGIN_MS = 1_000;
const KINDS = { loop: "an endless loop", large: "requests with answers of 100 MB", log: "10,000 log lines a second" };

/** @shape `[{ name, ours, limit, ratio, p50, p99 }]`; limit: p99 without the noise; ratio: of the p99 in the same round @units milliseconds */
export const measureNoise = async ({ server, folder, ended, rounds, progress }) => {
  const meter = createEventMeter();
  const instance = await startInstance({
    command: ["serve"],
    dataFolder: `${folder}/noise`,
    url: await server.createDatabase("noise"),
    ended,
    onFront: meter.onFront,
  });
  await instance.publish(await writeApp(`${folder}/noise-apps`, "renaming-app", "renaming"));
  await instance.publish(await writeApp(`${folder}/noise-apps`, "noisy-app", "noisy"));
  const conversations = [];
  for (let index = 0; index < QUIET; index++) {
    const account = await instance.createAccount(`quiet-${index}`);
    conversations.push(await instance.beginConversation(account), await instance.beginConversation(account));
    await instance.install(account.name, "renaming-app");
  }
  const noisy = await instance.createAccount("noisy");
  const noise = await instance.beginConversation(noisy);
  await instance.install("noisy", "noisy-app");

  const measure = async (kind) => {
    if (kind) {
      await instance.post(noise, `${kind} ${PACE.seconds * 1_000 + 2 * MARGIN_MS}`);
      await wait(MARGIN_MS);
    }
    const result = quantilesOf(await meter.run(instance, conversations, PACE));
    while (kind && (await instance.eventsToCome("noisy")) > 0) await wait(200);
    return result;
  };
  for (let run = 0; run < WARM_UPS; run++) await measure();
  const rows = [];
  for (const [kind, title] of Object.entries(KINDS)) {
    const results = { quiet: [], noisy: [] };
    for (let round = 0; round < rounds; round++)
      for (const side of round % 2 ? ["noisy", "quiet"] : ["quiet", "noisy"]) {
        const result = await measure(side === "noisy" ? kind : undefined);
        results[side].push(result);
        progress(
          `noise, ${title}, round ${round + 1}, ${side}: p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms`,
        );
      }
    const middle = (side, key) => Number(median(results[side].map((each) => each[key])).toFixed(1));
    rows.push({
      name: `event to the handler's call of ${QUIET} quiet installations, beside ${title} (limit: p99 without it)`,
      ours: middle("noisy", "p99"),
      limit: middle("quiet", "p99"),
      ratio: Number(median(results.noisy.map(({ p99 }, round) => p99 / results.quiet[round].p99)).toFixed(2)),
      p50: middle("noisy", "p50"),
      p99: middle("noisy", "p99"),
    });
  }
  return rows;
};
