/** `--before <checkout>`: runs the sections in that checkout and in this one, alternating, and compares the results pair by pair. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./median.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Runs one round with the bench of a checkout. -> its rows by name */
const measureRound = async (checkout, args) => {
  const child = spawn(process.execPath, [join(checkout, "bench", "run.mjs"), ...args, "--rounds", "1", "--json"], {
    cwd: checkout,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`The benchmark in ${checkout} exited with ${status}.`);
  const { rows } = JSON.parse(output.trim().split("\n").at(-1));
  return new Map(rows.map((row) => [row.name, row]));
};

const rounded = (value) => (value === null ? null : Number(value.toFixed(2)));

/**
 * Runs the sections in each checkout, alternating, `rounds` times. Both checkouts must be built. @shape args: names of sections and options of the bench
 *
 * @shape `[{ name, before, after, change, lowest, highest, ratioChange }]`; before, after: `ours`; change: median of after / before over the pairs;
 * lowest, highest: extremes of that quotient; ratioChange: the same median for the row's ratio, which is independent of the machine's speed
 */
export const compareWith = async ({ before, args, rounds, progress }) => {
  const sides = { before, after: ROOT };
  const taken = { before: [], after: [] };
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 ? ["after", "before"] : ["before", "after"]) {
      progress(`round ${round + 1} of ${rounds}, ${side}`);
      taken[side].push(await measureRound(sides[side], args));
    }
  const names = [...taken.after[0].keys()].filter((name) => taken.before.every((rows) => rows.has(name)));
  return names.map((name) => {
    const of = (side, key) => taken[side].map((rows) => rows.get(name)[key]);
    const changesOf = (key) => of("after", key).map((value, round) => value / of("before", key)[round]);
    const changes = changesOf("ours");
    return {
      name,
      before: rounded(median(of("before", "ours"))),
      after: rounded(median(of("after", "ours"))),
      change: rounded(median(changes)),
      lowest: rounded(Math.min(...changes)),
      highest: rounded(Math.max(...changes)),
      ratioChange: of("after", "ratio").includes(null) ? null : rounded(median(changesOf("ratio"))),
    };
  });
};
