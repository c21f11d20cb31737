import { Socket } from "node:net";
import { afterEach, describe, expect, jest, test } from "@jest/globals";
import type { HostAddress, EgressReason, Lookup } from "../src/index.ts";
import { egress, FAILURES } from "../src/index.ts";
import { failureOf } from "./egress-requests.ts";
import { startLocalServer } from "./local-server.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

const v4 = (address: string): HostAddress => ({ address, family: 4 });
const v6 = (address: string): HostAddress => ({ address, family: 6 });
const answering = (...addresses: HostAddress[]) => jest.fn<Lookup>(async () => addresses);

const server = fileFixture(() => startLocalServer((_request, out) => void out.end("inside")));
afterEach(() => {
  expect(server.received).toEqual([]);
});

describe("A URL is refused by its text, without resolving its name:", () => {
  const rows: [url: string, reason: EgressReason][] = [
    ["http://example.com/", "MUST_BE_HTTPS"],
    ["http://127.0.0.1/", "MUST_BE_HTTPS"],
    ["HTTP://EXAMPLE.COM/", "MUST_BE_HTTPS"],
    ["ftp://example.com/", "MUST_BE_HTTPS"],
    ["file:///etc/passwd", "MUST_BE_HTTPS"],
    ["gopher://example.com/", "MUST_BE_HTTPS"],
    ["data:text/plain,x", "MUST_BE_HTTPS"],
    ["//example.com/", "MUST_BE_HTTPS"],
    ["example.com", "MUST_BE_HTTPS"],
    ["", "MUST_BE_HTTPS"],
    ["https://", "MUST_BE_FQDN"],
    ["https://[::1/", "MUST_BE_FQDN"],
    ["https://256.256.256.256/", "MUST_BE_FQDN"],
    ["https://exa mple.com/", "MUST_BE_FQDN"],
    ["https://example.com:99999/", "MUST_BE_FQDN"],
    ["https://localhost/", "MUST_BE_FQDN"],
    ["https://LOCALHOST:8443/", "MUST_BE_FQDN"],
    ["https://localhost./", "MUST_BE_FQDN"],
    ["https://metadata/", "MUST_BE_FQDN"],
    ["https://example.com./", "MUST_BE_FQDN"],
    ["https://.example.com/", "MUST_BE_FQDN"],
    ["https://example..com/", "MUST_BE_FQDN"],
    ["https://-a.example.com/", "MUST_BE_FQDN"],
    [`https://${"a".repeat(64)}.example.com/`, "MUST_BE_FQDN"],
    ["https://user@example.com/", "CREDENTIALS_DISALLOWED"],
    ["https://user:pass@example.com/", "CREDENTIALS_DISALLOWED"],
    ["https://example.com:443@127.0.0.1/", "CREDENTIALS_DISALLOWED"],
    ["https://8.8.8.8/", "IP_DISALLOWED"],
    ["https://127.0.0.1/", "IP_DISALLOWED"],
    ["https://127.0.0.1./", "IP_DISALLOWED"],
    ["https://127.1/", "IP_DISALLOWED"],
    ["https://2130706433/", "IP_DISALLOWED"],
    ["https://0x7f000001/", "IP_DISALLOWED"],
    ["https://0x7f.0.0.1/", "IP_DISALLOWED"],
    ["https://0177.0.0.1/", "IP_DISALLOWED"],
    ["https://017700000001/", "IP_DISALLOWED"],
    ["https://%31%32%37.0.0.1/", "IP_DISALLOWED"],
    ["https://１２７.０.０.１/", "IP_DISALLOWED"],
    ["https://127。0。0。1/", "IP_DISALLOWED"],
    ["https://127.0.\n0.1/", "IP_DISALLOWED"],
    ["https://0/", "IP_DISALLOWED"],
    ["https://10.0.0.1/", "IP_DISALLOWED"],
    ["https://169.254.169.254/latest/meta-data/", "IP_DISALLOWED"],
    ["https:\\\\169.254.169.254\\latest", "IP_DISALLOWED"],
    ["https://[::1]/", "IP_DISALLOWED"],
    ["https://[::]/", "IP_DISALLOWED"],
    ["https://[::ffff:127.0.0.1]/", "IP_DISALLOWED"],
    ["https://[64:ff9b::7f00:1]/", "IP_DISALLOWED"],
    ["https://[2606:4700:4700::1111]/", "IP_DISALLOWED"],
    ["https://[0:0:0:0:0:0:0:1]/", "IP_DISALLOWED"],
    ["https://[::ffff:7f00:1]/", "IP_DISALLOWED"],
    ["https://[::127.0.0.1]/", "IP_DISALLOWED"],
    ["https://[fd00:ec2::254]/", "IP_DISALLOWED"],
    ["https://[fe80::1%25eth0]/", "MUST_BE_FQDN"],
    ["https://127.0.0.1:443/", "IP_DISALLOWED"],
    ["https://10.1/", "IP_DISALLOWED"],
    ["https://0x0a.1/", "IP_DISALLOWED"],
    ["https://192.168.1/", "IP_DISALLOWED"],
    ["https://4294967295/", "IP_DISALLOWED"],
    ["https://4294967296/", "MUST_BE_FQDN"],
    ["https://1.2.3.4.5/", "MUST_BE_FQDN"],
    ["https://127.0.0.1%00.example.com/", "MUST_BE_FQDN"],
    ["https://example.com%2f@127.0.0.1/", "CREDENTIALS_DISALLOWED"],
    ["https://127.0.0.1\\@example.com/", "IP_DISALLOWED"],
    ["https://127.0.0.1#@example.com/", "IP_DISALLOWED"],
    ["https://127.0.0.1?@example.com/", "IP_DISALLOWED"],
  ];
  test.each(rows)("%j as %s", async (url, reason) => {
    const lookup = answering(v4("127.0.0.1"));
    const guarded = egress({ lookup });
    expect(await failureOf(guarded, { url })).toMatchObject({ ...FAILURES[reason], reason, attempts: 0 });
    expect(lookup).not.toHaveBeenCalled();
    await guarded.close();
  });
});

describe("A name is refused by the addresses that it resolves to:", () => {
  test.each([
    ["loopback", [v4("127.0.0.1")]],
    ["loopback over IPv6", [v6("::1")]],
    ["a private network", [v4("10.1.2.3")]],
    ["a link-local address", [v4("169.254.169.254")]],
    ["a unique local address", [v6("fd00::1")]],
    ["a mapped loopback address", [v6("::ffff:127.0.0.1")]],
    ["a private address behind NAT64", [v6("64:ff9b::a00:1")]],
    ["a 6to4 address", [v6("2002:7f00:1::1")]],
    ["a Teredo address", [v6("2001:0:4136:e378:8000:63bf:3fff:fdd2")]],
    ["a public address and a private address", [v4("93.184.216.34"), v4("10.0.0.1")]],
    ["a private address and a public address", [v4("10.0.0.1"), v4("93.184.216.34")]],
    ["something that is not an address", [v4("inside.example")]],
  ])("%s", async (_title, addresses) => {
    const guarded = egress({ lookup: answering(...addresses) });
    const refusal = await failureOf(guarded, { url: `https://name.example:${server.port}/`, maxAttempts: 5 });
    expect(refusal).toMatchObject({ code: 400, reason: "IP_DISALLOWED", attempts: 0 });
    await guarded.close();
  });

  test("a punycode name is resolved as it is sent", async () => {
    const lookup = answering(v4("127.0.0.1"));
    const guarded = egress({ lookup });
    expect((await failureOf(guarded, { url: "https://bücher.example/" })).reason).toBe("IP_DISALLOWED");
    expect(lookup.mock.calls).toEqual([["xn--bcher-kva.example"]]);
    await guarded.close();
  });

  // Node's resolver behaves differently once it has been optimized.
  test("however often it is requested", async () => {
    const guarded = egress({ lookup: answering(v4("127.0.0.1")) });
    const reasons = new Set<string>();
    for (let times = 0; times < 10_000; times++)
      reasons.add((await failureOf(guarded, { url: "https://bücher.example/" })).reason);
    expect([...reasons]).toEqual(["IP_DISALLOWED"]);
    await guarded.close();
  });

  test("a name without an address or a response is a failed connection", async () => {
    const none = egress({ lookup: answering() });
    expect(await failureOf(none, { url: "https://name.example/" })).toMatchObject({ code: 502, reason: "CONNECTION" });
    const lost = egress({ lookup: () => Promise.reject(new Error("ENOTFOUND")) });
    const refusal = await failureOf(lost, { url: "https://name.example/", maxAttempts: 3 });
    expect(refusal).toMatchObject({ code: 502, reason: "CONNECTION", attempts: 3 });
    await Promise.all([none.close(), lost.close()]);
  });
});

describe("With loopback permitted", () => {
  test("a private or public address in plain http is still refused", async () => {
    const to = (address: string) => egress({ allowLoopback: true, lookup: answering(v4(address)) });
    expect((await failureOf(to("10.0.0.1"), { url: "http://name.example/" })).reason).toBe("IP_DISALLOWED");
    expect((await failureOf(to("8.8.8.8"), { url: "http://name.example/" })).reason).toBe("MUST_BE_HTTPS");
    expect((await failureOf(egress({ allowLoopback: true }), { url: "http://10.0.0.1/" })).reason).toBe(
      "IP_DISALLOWED",
    );
    expect((await failureOf(egress({ allowLoopback: true }), { url: "https://8.8.8.8/" })).reason).toBe(
      "IP_DISALLOWED",
    );
    expect((await failureOf(egress({ allowLoopback: true }), { url: "http://0.0.0.0/" })).reason).toBe("IP_DISALLOWED");
    expect((await failureOf(egress({ allowLoopback: true }), { url: "http://metadata/" })).reason).toBe("MUST_BE_FQDN");
  });

  test("a name that resolves to loopback and elsewhere is refused", async () => {
    const guarded = egress({ allowLoopback: true, lookup: answering(v4("127.0.0.1"), v4("8.8.8.8")) });
    expect((await failureOf(guarded, { url: `http://name.example:${server.port}/` })).reason).toBe("IP_DISALLOWED");
  });
});

test("A name that becomes private after the check is resolved once, and connections use the checked address only", async () => {
  const lookup = jest.fn<Lookup>(async () => [v4("127.0.0.1")]).mockResolvedValueOnce([v4("93.184.216.34")]);
  const dialled: string[] = [];
  const realConnect = Reflect.get(Socket.prototype, "connect");
  const connect = jest.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...args) {
    // Closed as soon as its address is known, so that nothing leaves this machine.
    this.once("lookup", (_error, address) => {
      dialled.push(address);
      this.destroy(new Error("seen"));
    });
    return realConnect.apply(this, args);
  });
  try {
    const guarded = egress({ lookup });
    const url = `https://rebind.example:${server.port}/`;
    expect(await failureOf(guarded, { url, maxAttempts: 2 })).toMatchObject({ reason: "CONNECTION", attempts: 2 });
    expect(dialled).toEqual(["93.184.216.34", "93.184.216.34"]);
    expect(lookup).toHaveBeenCalledTimes(1);
    expect((await failureOf(guarded, { url })).reason).toBe("IP_DISALLOWED");
    expect(dialled).toHaveLength(2);
    await guarded.close();
  } finally {
    connect.mockRestore();
  }
});
