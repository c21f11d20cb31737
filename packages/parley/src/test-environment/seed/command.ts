import { setTimeout } from "node:timers/promises";
import cliProgress from "cli-progress";
import { isObject, SeedDocument, type SeededCounts } from "@parley/contract";
import type { Command } from "commander";
import { connectAdmin } from "../../admin/admin-client.ts";
import { readDocument } from "../../input/json.ts";

/** Interval between progress requests. @units milliseconds */
const PROGRESS_INTERVAL_MS = 200;

/** Shows a progress bar on standard error while the work runs; nothing when it is not a terminal. @shape readProgress: returns the progress */
async function withBar<T>(
  work: Promise<T>,
  readProgress: () => Promise<{ readonly done: number; readonly total: number } | undefined>,
): Promise<T> {
  if (!process.stderr.isTTY) return work;
  const bar = new cliProgress.SingleBar(
    { format: "  {bar} {value} of {total}", hideCursor: true, clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  let isFinished = false;
  const finished = work.then(
    () => (isFinished = true),
    () => (isFinished = true),
  );
  let isStarted = false;
  while (!isFinished) {
    const progress = await readProgress().catch(() => undefined);
    if (progress && !isStarted) bar.start(progress.total, progress.done);
    else if (progress) bar.update(progress.done);
    isStarted ||= progress !== undefined;
    await Promise.race([finished, setTimeout(PROGRESS_INTERVAL_MS, undefined, { ref: false })]);
  }
  if (isStarted) bar.stop();
  return work;
}

const HELP = `
docs/app-authors/test-environment.md describes the document; docs/examples/seed.json is an example. It is applied atomically. Messages
and users get the times of the document; apps receive no events of it, and it counts against no call limit. The result becomes the seed
that 'npx parley reset' returns to.

Examples:
  npx parley seed seed.json
  npx parley seed seed.json --anew            starts from the initial data instead of the current data
  npx parley seed seed.json --keep-seed       'npx parley reset' still returns to the previous seed
  jq '{conversations}' all.json | npx parley seed -`;

interface Options {
  readonly keepSeed?: boolean;
  readonly anew?: boolean;
  readonly json?: boolean;
}

const EXPECTED_SHAPE = `an object such as {"users": […], "conversations": […]}`;
const expectedShape = (value: unknown): string | undefined => (isObject(value) ? undefined : EXPECTED_SHAPE);

const report = (counts: SeededCounts, isSeed: boolean): string => {
  const { milliseconds, ...things } = counts;
  const parts = Object.entries(things).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? name.slice(0, -1) : name}`],
  );
  const seconds = (milliseconds / 1_000).toFixed(1);
  return `Seeded ${parts.join(", ")} in ${seconds} s.${isSeed ? " 'npx parley reset' returns to this from now on." : ""}`;
};

async function seed(file: string, { keepSeed, anew, json }: Options): Promise<void> {
  // The instance validates the rest and names the faulty member.
  const body = (await readDocument(file, SeedDocument, expectedShape)) as SeedDocument;
  const { testEnvironment } = await connectAdmin();
  const work = testEnvironment.seedWorld({ body, query: { keep_seed: keepSeed, anew } });
  const counts = await (json ? work : withBar(work, async () => (await testEnvironment.getWorld({})).seeding));
  process.stdout.write(`${json ? JSON.stringify(counts) : report(counts, !keepSeed)}\n`);
}

/** `parley seed`: fills the instance from a document. */
export const addSeed = (program: Command, _exit: (status: number) => void): void => {
  program
    .command("seed")
    .description("fill the running instance with accounts, agents, users and conversations from a document")
    .argument("<file>", "the document; - reads standard input")
    .option("--anew", "start from the initial data instead of the current data")
    .option("--keep-seed", "keep the previous seed for resets")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(seed);
};
