import type { Attempt } from "./attempt.ts";
import type { EventRow } from "./db/payload.ts";
import type { Subscription } from "./db/subscriptions.ts";

/** One request that an event makes for one subscriber. */
export interface Outgoing {
  /** The same at each try and each replay, so that the receiver can drop doubles. */
  readonly id: string;
  /** Sent as it is. */
  readonly body: string;
}

/** How subscribers of one kind are spoken to. */
export interface SubscriberKind {
  /** Whether events of a kind can be worth a request; others are passed over unread. */
  hears(subscription: Subscription, eventKind: string): boolean;
  /**
   * -> in the order in which they are sent; empty: none for this subscriber. The same list at each call for an event: how many of them
   * were taken is counted by their place. A throw counts as a failed try.
   */
  payload(subscription: Subscription, row: EventRow): Promise<readonly Outgoing[]>;
  /** Sends one, once; never throws. @units milliseconds */
  post(
    subscription: Subscription,
    outgoing: Outgoing,
    tried: { readonly retryCount: number; readonly timeoutMs: number },
  ): Promise<Attempt>;
  /** Called once, when deliveries have ended or their grace is over: those under way fail now. */
  close?(): Promise<void>;
}

/** A kind that nobody speaks to is absent: the events for its subscribers wait in the log. */
export type Kinds = { readonly [K in Subscription["kind"]]?: SubscriberKind | undefined };
