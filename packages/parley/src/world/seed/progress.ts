import { setTimeout as wait } from "node:timers/promises";
import cliProgress from "cli-progress";

/** Between two looks at how far it is. @units milliseconds */
const LOOK = 200;

/** While the work is under way, a bar on a terminal's standard error; elsewhere nothing. @shape look: how far it is */
export async function withBar<T>(
  work: Promise<T>,
  look: () => Promise<{ readonly done: number; readonly total: number } | undefined>,
): Promise<T> {
  if (!process.stderr.isTTY) return work;
  const bar = new cliProgress.SingleBar(
    { format: "  {bar} {value} of {total}", hideCursor: true, clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  let isOver = false;
  const over = work.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  let begun = false;
  while (!isOver) {
    const at = await look().catch(() => undefined);
    if (at && !begun) bar.start(at.total, at.done);
    else if (at) bar.update(at.done);
    begun ||= at !== undefined;
    await Promise.race([over, wait(LOOK, undefined, { ref: false })]);
  }
  if (begun) bar.stop();
  return work;
}
