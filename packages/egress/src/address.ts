import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** One address of a DNS lookup. */
export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Classification of an IP address: public, loopback, or closed to outgoing requests (private, link-local, reserved …). */
type AddressReach = "public" | "loopback" | "closed";

/** Range of IPv6 that is allocated as global unicast; the library classifies all unknown ranges as unicast. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
/** Public by its range, but the virtual IP of the host's control plane in one large cloud. */
const CLOUD_PLATFORM_ADDRESS = ipaddr.IPv4.parse("168.63.129.16").toString();

const reachOf4 = (address: ipaddr.IPv4): AddressReach => {
  const range = address.range();
  if (range === "loopback") return "loopback";
  return range === "unicast" && address.toString() !== CLOUD_PLATFORM_ADDRESS ? "public" : "closed";
};

const reachOf6 = (address: ipaddr.IPv6): AddressReach => {
  if (address.isIPv4MappedAddress()) return reachOf4(address.toIPv4Address());
  if (address.match(NAT64)) {
    const inner = new ipaddr.IPv4(address.toByteArray().slice(-4));
    return reachOf4(inner) === "public" ? "public" : "closed";
  }
  const range = address.range();
  if (range === "loopback") return "loopback";
  return range === "unicast" && address.match(GLOBAL_UNICAST) ? "public" : "closed";
};

/**
 * Classifies an address as the socket interprets it; text that is not an IP address is closed.
 * @assumed IPv4-mapped and NAT64 addresses are classified by the embedded IPv4 address; 6to4 and Teredo are always closed.
 */
export const addressReach = (address: string): AddressReach => {
  if (isIP(address) === 0) return "closed";
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv4 ? reachOf4(parsed) : reachOf6(parsed);
};
