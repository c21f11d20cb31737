import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { addressReach } from "../src/address.ts";

const CLOSED_NETWORKS: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

const toNumber = (dotted: string): number => dotted.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
const octets = (value: number): number[] => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256);
const groups = (value: number): string => `${Math.floor(value / 65536).toString(16)}:${(value % 65536).toString(16)}`;

const within = ([network, bits]: readonly [string, number]) =>
  fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((offset) => toNumber(network) + offset);
const closed4 = fc.oneof(...CLOSED_NETWORKS.map(within));

describe("An address", () => {
  test("in any private IPv4 network is refused, plain or embedded in an IPv6 address", () => {
    fc.assert(
      fc.property(closed4, (value) => {
        const dotted = octets(value).join(".");
        expect(addressReach(dotted)).toBe("closed");
        expect(addressReach(`::ffff:${dotted}`)).toBe("closed");
        expect(addressReach(`::ffff:${groups(value)}`)).toBe("closed");
        // In the oldest notation 0.0.0.1 is equal to the loopback address.
        expect(addressReach(`::${groups(value)}`)).not.toBe("public");
        expect(addressReach(`64:ff9b::${groups(value)}`)).toBe("closed");
        expect(addressReach(`2002:${groups(value)}::1`)).toBe("closed");
        expect(addressReach(`2001:0:${groups(value)}::1`)).toBe("closed");
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["8.8.8.8", "public"],
    ["172.15.255.255", "public"],
    ["172.32.0.0", "public"],
    ["100.63.255.255", "public"],
    ["100.128.0.0", "public"],
    ["2606:4700:4700::1111", "public"],
    ["::ffff:8.8.8.8", "public"],
    ["64:ff9b::808:808", "public"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["64:ff9b::7f00:1", "closed"],
    ["64:ff9b:1::808:808", "closed"],
    ["2002:808:808::1", "closed"],
    ["2001:0:808:808::1", "closed"],
    ["168.63.129.16", "closed"],
    ["169.254.169.254", "closed"],
    ["::", "closed"],
    ["::7f00:1", "closed"],
    ["fe80::1", "closed"],
    ["fe80::1%eth0", "closed"],
    ["fec0::1", "closed"],
    ["fc00::1", "closed"],
    ["fd00:ec2::254", "closed"],
    ["ff02::1", "closed"],
    ["100::1", "closed"],
    ["2001:db8::1", "closed"],
    ["3fff::1", "closed"],
    ["4000::1", "closed"],
    ["5f00::1", "closed"],
    ["0127.0.0.1", "closed"],
    ["2130706433", "closed"],
    ["example.com", "closed"],
    ["", "closed"],
  ])("%s is %s", (address, expected) => {
    expect(addressReach(address)).toBe(expected);
  });
});
