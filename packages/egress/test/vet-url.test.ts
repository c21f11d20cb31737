import { expect, jest, test } from "@jest/globals";
import { egress, EgressFailure, type HostAddress, type Lookup } from "../src/index.ts";

const at = (address: string): HostAddress => ({ address, family: address.includes(":") ? 6 : 4 });
const PUBLIC = "93.184.216.34";

/** Result of the check of a name with these addresses. */
const judged = async (url: string, addresses: readonly string[], allowLoopback = false): Promise<string> => {
  const lookup = jest.fn<Lookup>(async () => addresses.map(at));
  return egress({ lookup, allowLoopback })
    .vet(url)
    .then(
      () => "passes",
      (error: unknown) => (error instanceof EgressFailure ? error.reason : "another failure"),
    );
};

test.each([
  ["a public address", "https://a.example/", [PUBLIC], false, "passes"],
  ["a private address", "https://a.example/", ["10.0.0.1"], false, "IP_DISALLOWED"],
  ["a private address among public addresses", "https://a.example/", [PUBLIC, "192.168.0.1"], false, "IP_DISALLOWED"],
  ["this machine", "https://a.example/", ["127.0.0.1"], false, "IP_DISALLOWED"],
  ["this machine, with loopback permitted", "http://a.example/", ["127.0.0.1"], true, "passes"],
  ["a public address over http", "http://a.example/", [PUBLIC], true, "MUST_BE_HTTPS"],
  ["a private address, with loopback permitted", "https://a.example/", ["fd00::1"], true, "IP_DISALLOWED"],
  ["no address", "https://a.example/", [], false, "passes"],
])("a name that resolves to %s is checked without a request", async (_, url, addresses, allowLoopback, expected) => {
  expect(await judged(url, addresses, allowLoopback)).toBe(expected);
});

test("a name that can't be resolved passes the check, and a URL that is refused by its text is not resolved", async () => {
  const lookup = jest.fn<Lookup>(() => Promise.reject(new Error("ENOTFOUND")));
  const guarded = egress({ lookup });
  await guarded.vet("https://a.example/");
  await expect(guarded.vet("https://10.0.0.1/")).rejects.toMatchObject({ reason: "IP_DISALLOWED" });
  expect(lookup).toHaveBeenCalledTimes(1);
});
