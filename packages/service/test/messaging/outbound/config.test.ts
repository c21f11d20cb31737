import { describe, expect, test } from "@jest/globals";
import { serviceConfig } from "../../../src/index.ts";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const read = (url?: string, secret?: string) =>
  serviceConfig({
    ...(url !== undefined && { PARLEY_OUTBOUND_URL: url }),
    ...(secret !== undefined && { PARLEY_OUTBOUND_SECRET: secret }),
  }).outbound;

describe("the settings of the provider", () => {
  test("default to the sandbox", () => {
    expect(read()).toBeUndefined();
    expect(read("", "")).toBeUndefined();
  });

  test.each([
    "https://provider.example/send",
    "https://provider.example:8443/send?x=1",
    "http://127.0.0.1:8080/",
    "http://localhost/",
    "http://[::1]:9/",
  ])("accept the URL %s", (url) => {
    expect(read(url, SECRET)).toEqual({ url, secret: SECRET });
  });

  test.each([
    "",
    "provider.example",
    "http://provider.example/",
    "http://10.0.0.1/",
    "http://127.0.0.1.evil.example/",
    "https://me:pw@provider.example/",
    "https://provider.example/#a",
    "file:///etc/passwd",
  ])("refuse the URL %j by the variable's name", (url) => {
    expect(() => read(url, SECRET)).toThrow(/^PARLEY_OUTBOUND_URL must be/);
  });

  test.each([
    undefined,
    "",
    "secret",
    "whsec_",
    "whsec_c2hvcnQ=",
    "whsec_!!!!",
    SECRET.slice(6),
    `whsec_${Buffer.alloc(65).toString("base64")}`,
  ])("refuse the secret %j without repeating it", (secret) => {
    const readConfig = () => read("https://provider.example/", secret);
    expect(readConfig).toThrow(/^PARLEY_OUTBOUND_SECRET must be/);
    if (secret && secret.length > 10) expect(readConfig).not.toThrow(secret);
  });
});
