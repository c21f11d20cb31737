import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseExternalUrl } from "../../../server/lib/external-system.ts";

/** Parsing of addresses that the admin enters. */

describe("the URL of the other system is split into host and path", () => {
  test.each([
    ["https://crm.example.com", { host: "crm.example.com", path: "" }],
    ["https://crm.example.com/", { host: "crm.example.com", path: "" }],
    ["  HTTPS://CRM.Example.COM/Hooks/1  ", { host: "crm.example.com", path: "Hooks/1" }],
    ["https://crm.example.com/hooks?team=a&b=c", { host: "crm.example.com", path: "hooks?team=a&b=c" }],
    ["https://crm.example.com?team=a", { host: "crm.example.com", path: "?team=a" }],
    ["https://crm.example.com//twice", { host: "crm.example.com", path: "/twice" }],
    ["https://crm.example.com/hooks#part", { host: "crm.example.com", path: "hooks" }],
    ["https://crm.example.com/a..b/.well-known/c.", { host: "crm.example.com", path: "a..b/.well-known/c." }],
    ["https://crm.example.com/a?up=../..", { host: "crm.example.com", path: "a?up=../.." }],
    ["https://3.example.com", { host: "3.example.com", path: "" }],
    ["https://xn--bcher-kva.example", { host: "xn--bcher-kva.example", path: "" }],
  ])("%s", (url, address) => expect(parseExternalUrl(url)).toEqual(address));
});

const NO_HOST = "the address must name a host, such as crm.example.com.";
const CLIMBS = "the address must not climb by . or .. in its path.";
describe("an unusable URL of the other system is a problem", () => {
  test.each([
    ["", "the address is missing."],
    ["  ", "the address is missing."],
    ["crm.example.com", "the address must begin with https://."],
    ["http://crm.example.com", "the address must begin with https://."],
    ["see https://crm.example.com", "the address must begin with https://."],
    ["https://me:word@crm.example.com", "the address must not hold a name or password: use the secret."],
    ["https://crm.example.com:8443/", "the address must not name a port."],
    ["https://", NO_HOST],
    ["https:///path", NO_HOST],
    ["https://localhost/", NO_HOST],
    ["https://127.0.0.1/", NO_HOST],
    ["https://crm.example.com.", NO_HOST],
    ["https://-crm.example.com", NO_HOST],
    ["https://crm-.example.com", NO_HOST],
    ["https://c_rm.example.com", NO_HOST],
    ["https://crm.exämple.com", NO_HOST],
    ["https://crm.example.com/a/../b", CLIMBS],
    ["https://crm.example.com/..", CLIMBS],
    ["https://crm.example.com/./b", CLIMBS],
    ["https://crm.example.com/%2E%2e?a", CLIMBS],
  ])("%s", (url, problem) => expect(parseExternalUrl(url)).toEqual({ problem }));
  test("2000 characters are accepted, 2001 refused", () => {
    const start = "https://crm.example.com/";
    expect(parseExternalUrl(start.padEnd(2_000, "a"))).toMatchObject({ host: "crm.example.com" });
    expect(parseExternalUrl(start.padEnd(2_001, "a"))).toEqual({
      problem: "the address has more than 2000 characters.",
    });
  });
});

test("host and path equal those of a browser's URL parser", () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ["https"], withQueryParameters: true }), (url) => {
      const address = parseExternalUrl(url);
      fc.pre("host" in address);
      const [there, read] = [url, `https://${address.host}/${address.path}`].map((text) => new URL(text));
      expect([read?.host, read?.pathname, read?.search]).toEqual([there?.host, there?.pathname, there?.search]);
    }),
  );
});
