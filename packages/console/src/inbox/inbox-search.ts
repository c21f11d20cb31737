import type { InboxFilter, InboxOrder, InboxStatus } from "@parley/contract";
import { VALUES } from "../contract-values.ts";

/** The view that the address of the inbox names: its filter, its order, and the saved view that they come from. */
export interface InboxSearch extends InboxFilter {
  readonly order?: InboxOrder;
  /** Id of the saved view. */
  readonly view?: string;
}

const TEXTS = ["agent", "group", "channel", "priority", "property", "user", "view"] as const;

const oneOf = <T extends string>(value: unknown, values: readonly T[]): T | undefined =>
  values.find((each) => each === value);

/** -> the known parameters of an address; those without a valid value are left out */
export const checkInboxSearch = (search: Readonly<Record<string, unknown>>): InboxSearch => {
  const status = oneOf<InboxStatus>(search["status"], VALUES.inboxStatuses);
  const order = oneOf<InboxOrder>(search["order"], VALUES.inboxOrders);
  const texts = TEXTS.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value] as const] : [];
  });
  return {
    ...(status && { status }),
    ...(order && { order }),
    ...(search["unread"] === true && { unread: true }),
    ...Object.fromEntries(texts),
  };
};
