/** Command-line options. */
import { parseArgs } from "node:util";
import { FAULTS } from "./nemesis.mjs";
import { SABOTAGE } from "./sabotage.mjs";

export const HELP = `npm run crash -- [--rounds 20] [--writes 5000] [--lanes 48] [--seed <n>]
                 [--only <words>] [--sabotage <names>] [--json] [--keep]

Clients write users, conversations and messages to two services on one
PostgreSQL, each write with an Idempotency-Key, and note every acknowledgement.
Meanwhile services, PostgreSQL, the app host and the app are killed with -9 or
stand still, and the receiver of events answers 500, times out or drops
connections. After each round everything stands again, and a checker compares:
was anything acknowledged lost, doubled, out of order for its conversation, or
never delivered to the receiver or the app?

  --rounds     how many
  --writes     of each round; 200 rounds of 5,000 are a million
  --lanes      conversations that are written to at a time
  --seed       where chance begins; printed, so that a run can be repeated
  --only       faults whose name holds these words, such as "PostgreSQL",
               "pause" or "receiver"; all when absent
  --sabotage   breaks promises on purpose, in the middle of each round, and the
               run must find it: lost, doubled, order, undelivered, or several
               with commas
  --json       a last line of JSON: {"rounds","acknowledged","lost","doubled",
               "outOfOrder","undelivered","seed"}
  --keep       keep the folder of data and logs, as a run that finds something
               does

Examples:
  npm run crash
  npm run crash -- --rounds 200
  npm run crash -- --rounds 3 --writes 1000 --seed 7 --json
  npm run crash -- --rounds 1 --sabotage lost

Exit status: 0 something was acknowledged, and nothing was lost, doubled, out
of order or undelivered; 1 otherwise; 2 the options are wrong.`;

export class WrongOption extends Error {}

const OPTIONS = {
  rounds: { type: "string", default: "20" },
  writes: { type: "string", default: "5000" },
  lanes: { type: "string", default: "48" },
  seed: { type: "string" },
  only: { type: "string" },
  sabotage: { type: "string" },
  json: { type: "boolean", default: false },
  keep: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

const parsed = (args) => {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new WrongOption(error.message);
  }
};

/** @errors WrongOption */
export const optionsOf = (args) => {
  const values = parsed(args);
  const number = (name, least, most, usual) => {
    const text = values[name] ?? String(usual);
    if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new WrongOption(`--${name} must be a whole number from ${least} to ${most}, not '${text}'.`);
  };
  const sabotage = values.sabotage === undefined ? [] : values.sabotage.split(",");
  const unknown = sabotage.find((name) => !Object.hasOwn(SABOTAGE, name));
  if (unknown !== undefined)
    throw new WrongOption(`--sabotage takes ${Object.keys(SABOTAGE).join(", ")}, not '${unknown}'.`);
  const names = Object.keys(FAULTS);
  if (values.only !== undefined && !names.some((name) => name.includes(values.only)))
    throw new WrongOption(`--only '${values.only}' is in the name of no fault: ${names.join("; ")}.`);
  return {
    rounds: number("rounds", 1, 1_000_000),
    writes: number("writes", 16, 10_000_000),
    lanes: number("lanes", 1, 1_000),
    seed: number("seed", 0, 9_999_999_999, Date.now() % 1_000_000_000),
    only: values.only,
    sabotage,
    json: values.json,
    keep: values.keep,
    help: values.help,
  };
};
