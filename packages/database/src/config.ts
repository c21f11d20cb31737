/** What this package reads of the environment. */

/** Where programs of the system are looked for. */
export const programPath = (env: NodeJS.ProcessEnv = process.env): string =>
  env.PATH ?? "/usr/bin:/bin:/usr/sbin:/sbin";

/** The variable in which a test run hands the address of its server to its workers. */
export const TEST_SERVER = "PARLEY_TEST_DATABASE";

/** The folder of the test run's socket, if a run is on. */
export const testServer = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[TEST_SERVER];
