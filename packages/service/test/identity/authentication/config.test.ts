import { describe, expect, test } from "@jest/globals";
import { trustedProxies } from "../../../src/identity/edge/trusted-proxies.ts";
import { appsUrl, sessionRules } from "../../../src/identity/authentication/config.ts";

const HOUR_MS = 3_600_000;

describe("bounds of sessions", () => {
  test("are 14 days and 24 hours without settings", () => {
    expect(sessionRules({})).toEqual({ maxAgeMs: 14 * 24 * HOUR_MS, maxIdleMs: 24 * HOUR_MS });
  });

  test.each([
    ["PARLEY_SESSION_DAYS", "0", "a whole number of days from 1 to 365"],
    ["PARLEY_SESSION_DAYS", "366", "a whole number of days from 1 to 365"],
    ["PARLEY_SESSION_IDLE_HOURS", "1.5", "a whole number of hours from 1 to 8760"],
  ])("%s=%s is refused", (name, value, range) => {
    expect(() => sessionRules({ [name]: value })).toThrow(`${name} must be ${range}, not '${value}'.`);
  });
});

describe("the origin of apps", () => {
  test.each([
    [{}, undefined],
    [{ PARLEY_APPS_URL: "" }, undefined],
    [{ PARLEY_APPS_URL: "https://Apps.example.com/" }, "https://apps.example.com"],
  ])("of %j is %s", (env, origin) => {
    expect(appsUrl(env)).toBe(origin);
  });

  test.each([
    ...["apps.example.com", "ftp://apps.example.com", "https://apps.example.com/path", "https://u@apps.example.com"],
    ...["https://apps.example.com?a", "https://10.0.0.7", "https://[::1]:10001", "https://apps.example.com."],
  ])("PARLEY_APPS_URL=%s is refused", (text) => {
    expect(() => appsUrl({ PARLEY_APPS_URL: text })).toThrow(/^PARLEY_APPS_URL must be an http or https address/);
  });
});

describe("trusted proxies", () => {
  test.each([
    ["", undefined],
    ["127.0.0.1", ["127.0.0.1"]],
    ["10.0.0.0/8, ::1,fd00::/8", ["10.0.0.0/8", "::1", "fd00::/8"]],
  ])("PARLEY_TRUSTED_PROXIES=%s", (text, expected) => {
    expect(trustedProxies(text)).toEqual(expected);
  });

  test.each(["true", "proxy.example.com", "10.0.0.0/33", "10.0.0.0/", "1.2.3.4;5.6.7.8", "10.0.0.0/8/8"])(
    "PARLEY_TRUSTED_PROXIES=%s is refused",
    (text) => {
      expect(() => trustedProxies(text)).toThrow(/^PARLEY_TRUSTED_PROXIES must be IP/);
    },
  );
});
