import { hash } from "node:crypto";
import { isUuid } from "../http/uuid.ts";

/** Any constant does: the same foreign id is the same UUID on every machine and in every run. */
const NAMESPACE = Buffer.from("0d7b7a7e6a534c539b1e2f5f1a3c9d84", "hex");

export type IdKind = "agent" | "user" | "conversation" | "message" | "channel" | "group";

/** Kinds that many records name; a message is named once. */
const NAMED = ["agent", "user", "conversation", "channel", "group"] as const satisfies IdKind[];
/** Ids of a kind that are remembered: what is named together stands together. */
const MOST = 20_000;

const VARIANTS = "89ab";

/** A UUID of version 5 of a text. The packages for it take four times as long, which is most of an import. */
const derived = (text: string): string => {
  const name = Buffer.allocUnsafe(NAMESPACE.length + Buffer.byteLength(text));
  NAMESPACE.copy(name);
  name.write(text, NAMESPACE.length);
  const digits = hash("sha1", name, "hex");
  const variant = VARIANTS[parseInt(digits.charAt(16), 16) & 3] ?? "";
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-5${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
};

/**
 * Ids of one account's records as the tables hold them.
 * @assumed An id that is no UUID stands for the one that is derived (version 5) from the account, the kind and the id; of a user it is
 * the reference_id too, where none is given.
 */
export const idsOf = (account: string) => {
  const named = new Map<IdKind, Map<string, string>>(NAMED.map((kind) => [kind, new Map()]));
  return (kind: IdKind, text: string): string => {
    if (isUuid(text)) return text.toLowerCase();
    const known = named.get(kind);
    const found = known?.get(text);
    if (found !== undefined) return found;
    const id = derived(`${account}/${kind}/${text}`);
    if (known && known.size >= MOST) known.clear();
    known?.set(text, id);
    return id;
  };
};
export type IdOf = ReturnType<typeof idsOf>;
