import type { CustomerOrder } from "@parley/contract";
import { VALUES } from "../contract-values.ts";

/** Longer beginnings find nothing, and the service refuses very long texts. @units characters */
export const DIRECTORY_TEXT_MAX = 200;

/** Values in the address of the directory. */
interface DirectoryAddress {
  /** Beginning of a name, an e-mail address or a phone number. */
  readonly q?: string;
  readonly order?: CustomerOrder;
}

/** -> the known parameters of an address; those without a valid value are left out */
export const checkDirectoryAddress = (search: Readonly<Record<string, unknown>>): DirectoryAddress => {
  const { q } = search;
  const text = typeof q === "string" || typeof q === "number" ? String(q).slice(0, DIRECTORY_TEXT_MAX) : "";
  const order = VALUES.customerOrders.find((each) => each === search["order"]);
  return { ...(text !== "" && { q: text }), ...(order && { order }) };
};
