/** Leaves the app's process no environment: what the shell and the system put there is none of its business. */
export const clearEnvironment = () => {
  for (const name of Object.keys(process.env)) delete process.env[name];
};
