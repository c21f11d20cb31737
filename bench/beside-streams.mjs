/** Posts beside open streams, in turns with the same posts without them. */
import { median } from "./median.mjs";
import { cpuOf, memoryOf } from "./processes.mjs";

/**
 * @param run posts for some seconds. -> its result
 * @param readers the process of readers.mjs
 * @param row.streams the streams that are open, as readers.mjs takes them
 * @shape `{ name, ours, without, ratio, p50, p99, cpuMs, cpuMsWithout, baseline, idle, memory }`; cpuMs: processor time of the service for one post; baseline: memory after the first round of posts without streams; idle: memory before the first post beside the streams @units requests a second; milliseconds; megabytes of the service
 */
export const measureBeside = async ({ name, streams }, { run, readers, pid, rounds, progress }) => {
  const results = { without: [], beside: [] };
  let [baseline, idle, memory] = [null, null, null];
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 ? ["beside", "without"] : ["without", "beside"]) {
      if (side === "beside") {
        const { streams: open } = await readers.ask({ open: streams });
        if (open !== streams.length) throw new Error(`${open} of ${streams.length} streams are open`);
      }
      if (side === "beside") idle ??= await memoryOf(pid);
      const before = await readers.ask("count");
      const cpu = await cpuOf(pid);
      const result = await run();
      result.cpu = ((await cpuOf(pid)) - cpu) / result.answered;
      const { bytes, streams: left } = await readers.ask("count");
      if (left !== before.streams) throw new Error(`${before.streams - left} streams ended`);
      results[side].push(result);
      progress(
        `${name}, round ${round + 1}, ${side}: ${Math.round(result.rate)}/s, p50 ${result.p50.toFixed(1)} ms, ${(result.cpu * 1e6).toFixed(0)} µs of processor time each, ${Math.round(bytes / 1e6)} MB to readers`,
      );
      if (side === "beside") memory = await memoryOf(pid);
      else baseline ??= await memoryOf(pid);
      await readers.ask("close");
    }
  const rateOf = (side) => median(results[side].map(({ rate }) => rate));
  const cpuOfPost = (side) => median(results[side].map(({ cpu }) => cpu));
  return {
    name,
    ours: Math.round(rateOf("beside")),
    without: Math.round(rateOf("without")),
    ratio: Number((rateOf("beside") / rateOf("without")).toFixed(2)),
    p50: Number(median(results.beside.map(({ p50 }) => p50)).toFixed(1)),
    p99: Number(median(results.beside.map(({ p99 }) => p99)).toFixed(1)),
    cpuMs: cpuOfPost("beside") * 1_000,
    cpuMsWithout: cpuOfPost("without") * 1_000,
    baseline,
    idle,
    memory,
  };
};
