import type { ConsoleStreamItem, MessengerStreamItem } from "@parley/contract";
import type { LogRow } from "../../base/log/store.ts";

type EventWithPosition = LogRow["kind"] | "reset" | "message" | "conversation";
type StreamItem = ConsoleStreamItem | MessengerStreamItem;
type WithoutPosition = Exclude<StreamItem["event"], EventWithPosition>;

/** An event in the format of SSE that is not in the log: it has no position to continue from. */
export const liveText = <E extends WithoutPosition>(
  event: E,
  data: Extract<StreamItem, { readonly event: E }>["data"],
): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
