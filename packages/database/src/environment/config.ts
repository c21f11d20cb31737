/** Environment variables of this package. */

/** Search path for system programs. */
export const programPath = (env: NodeJS.ProcessEnv = process.env): string =>
  env.PATH ?? "/usr/bin:/bin:/usr/sbin:/sbin";

/** Variable by which a test run passes the access to its server to its workers. */
export const TEST_SERVER = "PARLEY_TEST_DATABASE";

/** Access to the server of a test run. */
export interface TestServerAccess {
  /** Folder of the socket. */
  readonly folder: string;
  /** Password of the product's role. */
  readonly password: string;
  readonly administratorPassword: string;
}

/** Undefined outside of test runs. */
export const testServer = (env: NodeJS.ProcessEnv = process.env): TestServerAccess | undefined =>
  env[TEST_SERVER] === undefined ? undefined : (JSON.parse(env[TEST_SERVER]) as TestServerAccess);

/** Variable by which a test run passes a prepared cluster to the processes that it starts. */
export const TEST_CLUSTER = "PARLEY_TEST_CLUSTER";

/** Folder that contains the prepared cluster, in a subfolder named after its release; undefined outside of test runs. */
export const testCluster = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[TEST_CLUSTER];

/** Makes this process, and processes that it starts, create clusters by initdb, as outside of tests. */
export const ignorePreparedCluster = (env: NodeJS.ProcessEnv = process.env): void => void delete env[TEST_CLUSTER];
