import type { DeliveryExchange, StreamEventKind } from "@parley/contract";
import type { EventRow } from "../event-payload/store.ts";
import type { Subscription } from "./subscriptions.sql.ts";

/** A request as it was sent, and its response, as they are saved with the delivery. The body is made from the event when it is shown. */
export interface RecordedExchange extends Omit<DeliveryExchange, "request"> {
  readonly request: Pick<DeliveryExchange["request"], "url" | "headers"> & {
    /** Which of the event's requests it was. */
    readonly id: string;
  };
}

/** Result of sending one request once. */
export type RequestOutcome =
  | {
      readonly kind: "accepted";
      readonly status?: number;
      /** Absent for subscribers whose requests are not recorded. */
      readonly exchange?: RecordedExchange;
    }
  /** Nothing was sent. The outcome says nothing about the event and uses no attempt of its retry budget. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | {
      readonly kind: "failed";
      /** Saved with the delivery: it contains nothing of the event or of the receiver's reply. */
      readonly reason: string;
      /** HTTP status of the reply; absent when no reply arrived. */
      readonly status?: number;
      readonly exchange?: RecordedExchange;
      /** Whether another attempt cannot succeed. */
      readonly isFinal: boolean;
      /** The receiver asks for no attempt before this time. @units milliseconds */
      readonly retryAfterMs?: number;
      /** The receiver wants no more events: the subscription is turned off. */
      readonly isOff?: boolean;
    };

/** One request that an event makes for one subscriber. */
export interface OutgoingRequest {
  /** The same for each attempt and each replay, so that the receiver can drop duplicates. */
  readonly id: string;
  /** Request body, sent unchanged. */
  readonly body: string;
}

/** Protocol for the subscribers of one kind. */
export interface SubscriberKind {
  /** Whether events of a kind can make a request for the subscription; other events are skipped without reading their payload. */
  wants(subscription: Subscription, eventKind: StreamEventKind): boolean;
  /**
   * -> the requests in the order in which they are sent; an empty list when the event has nothing for this subscriber. Returns the same list for
   * each call with one event: the requests that the receiver has taken are counted by position. An exception counts as a failed attempt.
   */
  requestsFor(subscription: Subscription, row: EventRow): Promise<readonly OutgoingRequest[]>;
  /** Sends one request once. Never throws. @units milliseconds */
  send(
    subscription: Subscription,
    outgoing: OutgoingRequest,
    attempt: { readonly retryCount: number; readonly timeoutMs: number },
  ): Promise<RequestOutcome>;
  /** Called once, after deliveries have ended or the shutdown grace is over: requests under way fail. */
  close?(): Promise<void>;
}

/** A kind without a protocol is absent: the events for its subscribers stay in the log. */
export type SubscriberKinds = { readonly [K in Subscription["kind"]]?: SubscriberKind | undefined };
