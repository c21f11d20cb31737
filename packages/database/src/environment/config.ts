/** What this package reads of the environment. */

/** Where programs of the system are looked for. */
export const programPath = (env: NodeJS.ProcessEnv = process.env): string =>
  env.PATH ?? "/usr/bin:/bin:/usr/sbin:/sbin";

/** The variable in which a test run hands the address of its server to its workers. */
export const TEST_SERVER = "PARLEY_TEST_DATABASE";

/** The way to the server of a test run. */
export interface TestServerAccess {
  /** Of its socket. */
  readonly folder: string;
  /** Of the product's role. */
  readonly password: string;
  readonly administratorPassword: string;
}

/** -> undefined: no run is on */
export const testServer = (env: NodeJS.ProcessEnv = process.env): TestServerAccess | undefined =>
  env[TEST_SERVER] === undefined ? undefined : (JSON.parse(env[TEST_SERVER]) as TestServerAccess);

/** The variable in which a test run offers the processes that it starts a cluster that was made before. */
export const TEST_CLUSTER = "PARLEY_TEST_CLUSTER";

/** Holds that cluster, in a folder with the name of the release that made it; nothing outside of tests. */
export const testCluster = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[TEST_CLUSTER];

/** From here on this process and what it starts make their clusters as is done outside of tests. */
export const makeClusters = (env: NodeJS.ProcessEnv = process.env): void => void delete env[TEST_CLUSTER];
