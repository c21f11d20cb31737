import { v5 } from "uuid";
import { isUuid } from "../http/uuid.ts";

/** Any constant does: the same foreign id is the same UUID on every machine and in every run. */
const NAMESPACE = "0d7b7a7e-6a53-4c53-9b1e-2f5f1a3c9d84";

export type IdKind = "agent" | "user" | "conversation" | "message" | "channel" | "group";

/**
 * Ids of one account's records as the tables hold them.
 * @assumed An id that is no UUID stands for the one that is derived (version 5) from the account, the kind and the id; of a user it is
 * the reference_id too, where none is given.
 */
export const idsOf =
  (account: string) =>
  (kind: IdKind, text: string): string =>
    isUuid(text) ? text.toLowerCase() : v5(`${account}/${kind}/${text}`, NAMESPACE);
export type IdOf = ReturnType<typeof idsOf>;
