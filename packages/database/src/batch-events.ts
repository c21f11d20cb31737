import { channel } from "node:diagnostics_channel";

/** A batch of writes or reads, at its beginning. */
export interface BatchEvent {
  readonly kind: "write" | "read";
  /** Name of the items, such as `messages`. */
  readonly name: string;
  readonly items: number;
  /** Items that wait for the following batches. */
  readonly waiting: number;
}

/** Receives a message for each batch. Without subscribers it costs a comparison. */
const BATCHES = channel("parley:database:batch");

export const publishBatch = (event: BatchEvent): void => {
  if (BATCHES.hasSubscribers) BATCHES.publish(event);
};

/** Calls the function for each batch of this process. -> ends that */
export const onBatch = (listener: (event: BatchEvent) => void): (() => void) => {
  const receive = (event: unknown) => listener(event as BatchEvent);
  BATCHES.subscribe(receive);
  return () => void BATCHES.unsubscribe(receive);
};
