import { describe, expect, test } from "@jest/globals";
import { HostMapUnusable, parseHostMap } from "../../src/index.ts";
import { hostRoutes } from "../../src/request/host-maps.ts";
import { failureOf, requestFixture, verb } from "./request-fixture.ts";

describe("a host map", () => {
  test.each([
    ["api.example.com=http://localhost:4000", ["api.example.com", "http://localhost:4000"]],
    ["API.Example.com=http://LOCALHOST:4000/", ["api.example.com", "http://localhost:4000"]],
    ["*.example.com=http://127.0.0.1:4000", ["*.example.com", "http://127.0.0.1:4000"]],
    ["*.com=http://[::1]:4000", ["*.com", "http://[::1]:4000"]],
    [" api.example.com = http://localhost ", ["api.example.com", "http://localhost"]],
  ])("%s is accepted", (text, map) => {
    expect(parseHostMap(text)).toEqual(map);
  });

  test.each([
    ["api.example.com", "'api.example.com' is not a host map: write host=http://localhost:port"],
    ["", "'' is not a host map: write host=http://localhost:port"],
    [
      "api.example.com=http://10.0.0.1:80",
      "A host may be mapped to this machine only, not to 10.0.0.1: write host=http://localhost:port",
    ],
    [
      "api.example.com=http://evil.example:80",
      "A host may be mapped to this machine only, not to evil.example: write host=http://localhost:port",
    ],
    ["api.example.com=http://localhost.evil.example", /this machine only/],
    ["api.example.com=http://0.0.0.0:80", /this machine only/],
    ["api.example.com=http://169.254.169.254", /this machine only/],
    [
      "api.example.com=https://localhost:4000",
      "'https://localhost:4000' is not an address that a host can be mapped to: write host=http://localhost:port",
    ],
    ["api.example.com=localhost:4000", /is not an address/],
    ["api.example.com=http://localhost:4000/v2", /is not an address/],
    ["api.example.com=http://localhost:4000?x", /is not an address/],
    ["api.example.com=http://a:b@localhost:4000", /is not an address/],
    ["api.example.com=", /is not an address/],
    ["localhost=http://localhost:4000", /'localhost' can't be mapped/],
    ["*=http://localhost:4000", /'\*' can't be mapped/],
    ["a.*.com=http://localhost:4000", /can't be mapped/],
    ["10.0.0.1=http://localhost:4000", /can't be mapped/],
    ["https://api.example.com=http://localhost:4000", /can't be mapped/],
    ["api.example.com:443=http://localhost:4000", /can't be mapped/],
    ["=http://localhost:4000", /can't be mapped/],
  ])("%s is rejected", (text, message) => {
    expect(() => parseHostMap(text)).toThrow(HostMapUnusable);
    expect(() => parseHostMap(text)).toThrow(message);
  });

  test("with the full name precedes the local accounts, which precede wildcards; the most specific wildcard applies", () => {
    const hosts = new Map([["acme.parley.localhost", { origin: "http://127.0.0.1:1" }]]);
    const ways = hostRoutes(
      hosts,
      new Map([
        ["*.parley.localhost", "http://localhost:2"],
        ["*.localhost", "http://localhost:3"],
        ["solo.parley.localhost", "http://localhost:4"],
      ]),
    );
    const at = (host: string) => ways.get(host)?.origin.slice(-1);
    expect(at("acme.parley.localhost")).toBe("1");
    expect(at("other.parley.localhost")).toBe("2");
    expect(at("deep.other.parley.localhost")).toBe("2");
    expect(at("a.localhost")).toBe("3");
    expect(at("solo.parley.localhost")).toBe("4");
    expect(at("parley.localhost")).toBe("3");
    expect(at("localhost")).toBeUndefined();
    expect(at("evil.example")).toBeUndefined();
  });

  test("to another machine is rejected when a host starts with it, and the service may be there", () => {
    expect(() => hostRoutes(new Map(), new Map([["api.example.com", "http://10.0.0.1"]]))).toThrow(HostMapUnusable);
    const service = { hosts: ["*.parley.localhost", "chat.example.com"], origin: "http://10.0.0.6:10002" };
    const ways = hostRoutes(new Map(), new Map([["chat.example.com", "http://localhost:2"]]), service);
    expect(ways.get("acme.parley.localhost")).toEqual({ origin: "http://10.0.0.6:10002" });
    expect(ways.get("chat.example.com")).toEqual({ origin: "http://localhost:2" });
  });

  test("changes a host's address, not the app's permission to request it", async () => {
    const fixture = await requestFixture();
    const method = fixture.method({ platformVersion: "2.2", whitelistedDomains: ["https://api.example"] });
    expect((await failureOf(method.fetch(verb("get", "https://other.example/")))).response).toMatch(
      /^This domain has not been whitelisted: /,
    );
    await method.fetch(verb("get", "https://api.example/"));
    expect(fixture.received.map(({ headers: { host } }) => host)).toEqual(["api.example"]);
    await fixture.close();
  });
});
