import { UsageFailure } from "@parley/contract";
import { BlockList, isIP } from "node:net";

/** An IP address, or a range in CIDR notation. */
const isAddressRange = (text: string): boolean => {
  const [address = "", prefix, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  if (prefix === undefined) return true;
  try {
    new BlockList().addSubnet(address, /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN, family === 4 ? "ipv4" : "ipv6");
    return true;
  } catch {
    return false;
  }
};

/**
 * Parses the setting of the proxies whose X-Forwarded-For header names the address of the client. The header of any other sender is ignored, since clients choose
 * what they send.
 * @errors UsageFailure for anything but addresses and ranges
 */
export const trustedProxies = (text = ""): readonly string[] | undefined => {
  if (text === "") return undefined;
  return text.split(",").map((part) => {
    const range = part.trim();
    if (isAddressRange(range)) return range;
    throw new UsageFailure(
      `PARLEY_TRUSTED_PROXIES must be IP addresses or ranges with commas between, such as 127.0.0.1,10.0.0.0/8, not '${range}'.`,
    );
  });
};
