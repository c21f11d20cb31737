import { OBJECTS_PATH, type Addresses } from "../objects/addresses.ts";
import { prefixOf, UPLOADS_PREFIX } from "./keys.ts";

/** A text without it holds no address of an upload. */
const MARK = OBJECTS_PATH + UPLOADS_PREFIX;
/** Members `url`, `media_url` and the like whose whole value is an address of an upload; no sign of ours is escaped in JSON. */
const MEMBERS = /"(\w{0,20}url)":"([^"\\]*\/objects\/uploads\/[^"\\]*)"/g;

/**
 * Gives the account's own addresses in a JSON text a fresh signature and the given origin; all others stay as they are.
 * @assumed An address that was signed once stays good in what is kept: whoever reads it gets one that works.
 */
export type Fresh = (text: string, accountId: number, origin: string) => string;

export const fresh =
  ({ addresses, addressSeconds: seconds }: { readonly addresses: Addresses; readonly addressSeconds: number }): Fresh =>
  (text, accountId, origin) => {
    if (!text.includes(MARK)) return text;
    const prefix = prefixOf(accountId);
    return text.replace(MEMBERS, (member, name: string, address: string) => {
      const target = addresses.targetOf(address);
      if (!target?.key.startsWith(prefix)) return member;
      return `"${name}":"${addresses.sign({ ...target, seconds }, origin)}"`;
    });
  };
