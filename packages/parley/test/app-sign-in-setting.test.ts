import { expect, test } from "@jest/globals";
import { parleyConfig } from "../src/environment/config.ts";

test.each([
  [undefined, false],
  ["", false],
  ["off", false],
  ["on", true],
])("PARLEY_APP_SIGN_IN=%s: pages of apps need a signed-in agent: %s", (value, isRequired) => {
  const env = value === undefined ? {} : { PARLEY_APP_SIGN_IN: value };
  expect(parleyConfig(env).isAppSignInRequired).toBe(isRequired);
});

test.each(["yes", "1", "true", "ON", "on "])("PARLEY_APP_SIGN_IN=%s is refused with the valid values", (value) => {
  expect(() => parleyConfig({ PARLEY_APP_SIGN_IN: value })).toThrow(
    `PARLEY_APP_SIGN_IN must be on or off, not '${value}'.`,
  );
});
