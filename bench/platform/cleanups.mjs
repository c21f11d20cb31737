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
  let interruption;
  const interrupted = () => {
    process.stderr.write("Ending all processes of the bench …\n");
    // Calls in progress fail with what is ended.
    process.on("unhandledRejection", () => undefined);
    interruption = cleanUp().then(() => process.exit(130));
  };
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.once(signal, interrupted);
  try {
    return await section((cleanup) => void cleanups.push(cleanup));
  } finally {
    // What is ended makes the section fail.
    await (interruption ?? cleanUp());
    for (const signal of signals) process.off(signal, interrupted);
  }
};
