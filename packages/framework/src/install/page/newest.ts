/**
 * Runs work one at a time: while one runs, only the newest request waits; undefined comes back for a request that a newer one
 * overtook. So an older answer, and what its callback set on the way, never comes after a newer one's.
 */
export const newest = <V, O>(work: (value: V) => Promise<O>): ((value: V) => Promise<O | undefined>) => {
  let running: Promise<unknown> = Promise.resolve();
  let latest = 0;
  return async (value) => {
    const mine = (latest += 1);
    // One that was waiting may have begun meanwhile: wait until none runs.
    for (let seen; seen !== running;) {
      seen = running;
      await seen;
    }
    if (mine !== latest) return undefined;
    const mineRunning = work(value);
    running = mineRunning.catch(() => undefined);
    const outcome = await mineRunning;
    return mine === latest ? outcome : undefined;
  };
};
