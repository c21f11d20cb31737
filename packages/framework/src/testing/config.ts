/** Where a world is that runs already, as the line of JSON that `parley run --json` prints. */
const WORLD = "PARLEY_WORLD";
/** Path of the command, for apps whose folder doesn't lead to it. */
const BIN = "PARLEY_BIN";

interface TestingConfig {
  readonly world: string | undefined;
  readonly bin: string | undefined;
}

export const testingConfig = (env: NodeJS.ProcessEnv = process.env): TestingConfig => ({
  world: env[WORLD] || undefined,
  bin: env[BIN] || undefined,
});

/** The environment of a world of one's own: nothing of the instance that a developer may have running. */
export const cleanEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => {
  const {
    PARLEY_SERVICE_PORT: _service,
    PARLEY_APP_PORT: _app,
    PARLEY_DATA: _data,
    DATABASE_URL: _url,
    NODE_OPTIONS: _options,
    ...rest
  } = env;
  // Tests ask more in a minute than a customer in an hour.
  return { PARLEY_CALLS_PER_HOUR: "1000000", ...rest };
};
