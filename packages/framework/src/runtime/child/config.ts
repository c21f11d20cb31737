/** Removes all environment variables from the app's process: those of the shell and the system must not be visible to the app. */
export const clearEnvironment = () => {
  for (const name of Object.keys(process.env)) delete process.env[name];
};
