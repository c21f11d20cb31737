/** Ends what a section started: after the section, after an error, and when the bench is interrupted. */

/**
 * Runs the section with a function that registers what has to be ended; the last one is ended first. Ctrl-C and SIGTERM end everything too,
 * then the bench.
 */
export const withCleanups = async (section) => {
  const cleanups = [];
  const cleanUp = async () => {
    for (let next = cleanups.pop(); next; next = cleanups.pop()) await next().catch(() => undefined);
  };
  const interrupted = () => {
    process.stderr.write("Ending all processes of the bench …\n");
    void cleanUp().then(() => process.exit(130));
  };
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.once(signal, interrupted);
  try {
    return await section((cleanup) => void cleanups.push(cleanup));
  } finally {
    await cleanUp();
    for (const signal of signals) process.off(signal, interrupted);
  }
};
