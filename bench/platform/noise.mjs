/** Effect of a noisy installation on five quiet installations. */
import { setTimeout as wait } from "node:timers/promises";
import { writeApp } from "./apps.mjs";
import { startInstance } from "./instance.mjs";
import { createEventMeter, quantilesOf } from "./pace.mjs";

const QUIET = 5;
const PACE = { perSecond: 50, seconds: 20 };
/** Runs before the measured runs, in which the processes compile the code that they use. */
const WARM_UPS = 3;
/** Time of the noise before and after the measured events. @units milliseconds */
const MARGIN_MS = 1_000;
const KINDS = { loop: "an endless loop", large: "requests with answers of 100 MB", log: "10,000 log lines a second" };

/**
 * Each round measures every side once, in turns. The quantiles are those of the events of all rounds together: the p99 of one round is that
 * of its ten slowest events, so it differs more from round to round than what the noise changes.
 *
 * @shape `[{ name, ours, limit, ratio, p50, p99 }]`; limit: p99 without noise; ratio: ours / limit @units milliseconds
 */
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
    const measured = await meter.run(instance, conversations, PACE);
    while (kind && (await instance.eventsToCome("noisy")) > 0) await wait(200);
    return measured;
  };
  for (let run = 0; run < WARM_UPS; run++) await measure();
  const sides = ["quiet", ...Object.keys(KINDS)];
  const latencies = Object.fromEntries(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 ? sides.toReversed() : sides) {
      const measured = await measure(side === "quiet" ? undefined : side);
      latencies[side].push(measured);
      const { p50, p99 } = quantilesOf(measured);
      const title = KINDS[side] ?? "no noise";
      progress(`noise, round ${round + 1}, ${title}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    }
  const quiet = quantilesOf(latencies.quiet.flat());
  return Object.entries(KINDS).map(([kind, title]) => {
    const { p50, p99 } = quantilesOf(latencies[kind].flat());
    const ofRounds = latencies[kind].map(
      (each, round) => quantilesOf(each).p99 / quantilesOf(latencies.quiet[round]).p99,
    );
    progress(
      `noise, ${title}: p99 ${ofRounds.map((each) => each.toFixed(2)).join(", ")} of that without noise in single rounds`,
    );
    return {
      name: `event to the handler's call of ${QUIET} quiet installations, beside ${title} (limit: p99 without it)`,
      ours: Number(p99.toFixed(1)),
      limit: Number(quiet.p99.toFixed(1)),
      ratio: Number((p99 / quiet.p99).toFixed(2)),
      p50: Number(p50.toFixed(1)),
      p99: Number(p99.toFixed(1)),
    };
  });
};
