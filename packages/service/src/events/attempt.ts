/** What came of sending one request once. */
export type Attempt =
  | { readonly kind: "accepted"; readonly status?: number }
  /** Nothing was sent: it says nothing about the event, and uses no try. */
  | { readonly kind: "unreachable"; readonly reason: string }
  | {
      readonly kind: "failed";
      /** Kept with the delivery: it holds nothing of the event or the answer. */
      readonly reason: string;
      /** The answer's; absent when none came. */
      readonly status?: number;
      /** Another try would not change it. */
      readonly isFinal: boolean;
      /** The receiver wants no try before that. @units milliseconds */
      readonly retryAfterMs?: number;
      /** The receiver wants no event any more: the subscription is turned off. */
      readonly isOff?: boolean;
    };
