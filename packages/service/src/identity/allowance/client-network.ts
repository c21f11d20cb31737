import { isIPv6 } from "node:net";

/** Groups of 16 bits in a network of 64 bits. */
const NETWORK_GROUPS = 4;

const groupsOf = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));

/**
 * What limits by IP address count by: an IPv4 address itself, and the first 64 bits of an IPv6 address, since a customer of a provider has all
 * addresses of such a network. IPv4 within IPv6 is counted as IPv4.
 * @shape `2001:DB8::1` -> `2001:db8:0:0::/64`, `::ffff:10.0.0.1` -> `10.0.0.1`; another text is returned as it is
 */
export const clientNetworkOf = (address: string): string => {
  if (!isIPv6(address)) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [plain = ""] = address.split("%");
  const [head = "", tail] = plain.split("::");
  const [first, last] = [groupsOf(head), groupsOf(tail ?? "")];
  // The zeros that `::` stands for. An IPv4 address at the end has the place of two groups, which are beyond the network.
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(missing).fill("0"), ...last].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
};
