import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** One answer of a name's resolution. */
export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Where an address leads: out to the world, back to this machine, or somewhere an outgoing request has no business. */
export type AddressReach = "public" | "loopback" | "closed";

/** The part of IPv6 that is given out as public unicast; the library calls all that it does not know unicast. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR("2000::/3");
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
/** Looks public, but inside one large cloud it is the host's own control address. */
const PLATFORM = ipaddr.IPv4.parse("168.63.129.16").toString();

const reachOf4 = (address: ipaddr.IPv4): AddressReach => {
  const range = address.range();
  if (range === "loopback") return "loopback";
  return range === "unicast" && address.toString() !== PLATFORM ? "public" : "closed";
};

const reachOf6 = (address: ipaddr.IPv6): AddressReach => {
  if (address.isIPv4MappedAddress()) return reachOf4(address.toIPv4Address());
  if (address.match(NAT64)) {
    const inner = new ipaddr.IPv4(address.toByteArray().slice(-4));
    return reachOf4(inner) === "public" ? "public" : "closed";
  }
  const range = address.range();
  if (range === "loopback") return "loopback";
  return range === "unicast" && address.match(GIVEN_OUT) ? "public" : "closed";
};

/**
 * Judges one address as the socket will understand it; what is no plain address is closed.
 * @assumed IPv4-mapped and NAT64 addresses stand for the IPv4 address inside; 6to4 and Teredo are closed whatever they carry.
 */
export const addressReach = (address: string): AddressReach => {
  if (isIP(address) === 0) return "closed";
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv4 ? reachOf4(parsed) : reachOf6(parsed);
};
