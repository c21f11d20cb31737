import type { CustomerOrder } from "@parley/contract";
import { VALUES } from "../contract-values.ts";

/** What the address of the directory names. */
export interface DirectoryAddress {
  /** Beginning of a name, an e-mail address or a phone number. */
  readonly q?: string;
  readonly order?: CustomerOrder;
}

/** -> the known parameters of an address; those without a valid value are left out */
export const checkDirectoryAddress = (search: Readonly<Record<string, unknown>>): DirectoryAddress => {
  const { q } = search;
  const text = typeof q === "string" || typeof q === "number" ? String(q) : "";
  const order = VALUES.customerOrders.find((each) => each === search["order"]);
  return { ...(text !== "" && { q: text }), ...(order && { order }) };
};
