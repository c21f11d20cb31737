/** Ends the resources that a section started: after the section, after an error, and when the bench is interrupted. */

/**
 * Runs the section with a function that registers resources to end; the last registered resource is ended first. Ctrl-C and SIGTERM end everything
 * too, then the bench.
 */
export const withCleanups = async (section) => {
  const cleanups = [];
  const cleanUp = async () => {
    for (let next = cleanups.pop(); next; next = cleanups.pop()) await next().catch(() => undefined);
  };
  let interruption;
  const interrupted = () => {
    process.stderr.write("Ending all processes of the bench …\n");
    // Calls in progress fail together with their ended resource.
    process.on("unhandledRejection", () => undefined);
    interruption = cleanUp().then(() => process.exit(130));
  };
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.once(signal, interrupted);
  try {
    return await section((cleanup) => void cleanups.push(cleanup));
  } finally {
    // After an interruption the ended resources make the section fail: wait for the exit of the bench.
    await (interruption ?? cleanUp());
    for (const signal of signals) process.off(signal, interrupted);
  }
};
