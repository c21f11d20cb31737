import { isObject, type Presence } from "@parley/contract";
import { NOTIFY_PAYLOAD_BYTES_MAX } from "../../base/log/notifications.sql.ts";
import type { CustomerPlace } from "./local-customers.ts";
import type { TabReport } from "./local-streams.ts";
import type { ConsoleNotice } from "./notices.ts";
import type { PresenceEntry, PresencePlace, PresenceState } from "./presence-map.ts";

/** A message about customers of the messenger. Processes of an earlier release ignore these kinds. */
export type CustomerMessage =
  /** The state of a customer in a conversation has changed in the sending process; without a state the customer is not there any more. */
  | { readonly kind: "customer"; readonly place: CustomerPlace; readonly state?: PresenceState | undefined }
  /** A part of all customers of the sending process, in answer to `ask`. */
  | {
      readonly kind: "customers";
      readonly to: string;
      readonly entries: readonly (CustomerPlace & { readonly state: PresenceState })[];
      readonly isFirst: boolean;
    }
  /** A customer has read messages, or is on another page. */
  | { readonly kind: "customer_read"; readonly accountId: number; readonly conversationId: string }
  /** Agents have read conversations. */
  | {
      readonly kind: "agent_reads";
      readonly reads: readonly { readonly userId: string; readonly conversationId: string }[];
      readonly time: string;
    };

/** A message between processes, as the payload of a notification. */
export type ProcessMessage =
  | CustomerMessage
  /** The state of an agent in a conversation has changed in the sending process; without a state the agent is not there any more. */
  | { readonly kind: "change"; readonly place: PresencePlace; readonly state?: PresenceState | undefined }
  /** Requests all entries: of every process, or of a single process. */
  | { readonly kind: "ask"; readonly to?: string }
  /** A part of all entries of the sending process, in answer to `ask`. */
  | {
      readonly kind: "state";
      readonly to: string;
      readonly entries: readonly PresenceEntry[];
      readonly isLast: boolean;
    }
  /** The sending process runs; sent while it has streams. */
  | { readonly kind: "alive" }
  /** The sending process ends. */
  | { readonly kind: "gone" }
  /** A report for a stream of another process, and the answer to it. */
  | {
      readonly kind: "report";
      readonly to: string;
      readonly request: string;
      readonly streamId: string;
      readonly credentialId: string;
      readonly report: TabReport;
    }
  | {
      readonly kind: "reported";
      readonly to: string;
      readonly request: string;
      /** Absent if the session has no such stream. */
      readonly agents?: readonly Presence[] | undefined;
    }
  /** A change that is not in the log, for an agent or for all agents of the account. */
  | {
      readonly kind: "notice";
      readonly accountId: number;
      readonly agentId?: string | undefined;
      readonly notice: ConsoleNotice;
    };

export interface ReceivedMessage {
  readonly from: string;
  /** Increases with each message of a process: equal messages would be delivered once, and repeated messages are recognised. */
  readonly number: number;
  readonly message: ProcessMessage;
}

export const encodedMessage = (received: ReceivedMessage): string => JSON.stringify(received);

/** -> undefined for text that is not a message */
export const decodedMessage = (payload: string): ReceivedMessage | undefined => {
  try {
    const value: unknown = JSON.parse(payload);
    if (!isObject(value) || typeof value["from"] !== "string" || typeof value["number"] !== "number") return undefined;
    return isObject(value["message"]) ? (value as unknown as ReceivedMessage) : undefined;
  } catch {
    return undefined;
  }
};

/** Entries in one message of `state`, `customers` or `agent_reads`: each has about 160 bytes. */
export const ENTRIES_PER_MESSAGE = 40;
/** Agents in one message of `reported`: each has about 70 bytes. */
export const AGENTS_PER_MESSAGE = 90;

/** Whether a payload is small enough to be sent. */
export const isSendable = (payload: string): boolean => Buffer.byteLength(payload) <= NOTIFY_PAYLOAD_BYTES_MAX;
