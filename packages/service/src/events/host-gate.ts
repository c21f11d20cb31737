import { pause } from "./bell.ts";

/** Holds back the deliveries to a host that is down, so that none of them uses up its tries. */
export interface HostGate {
  /** Resolves when a try makes sense, or when the signal says that none does. */
  pass(signal: AbortSignal): Promise<void>;
  /** The host could not be reached: all wait, longer each time in a row. */
  close(reason: string): void;
  /** The host was reached. */
  open(): void;
}

export const hostGate = (
  [shortest, longest]: readonly [number, number],
  { signal: over, said }: { readonly signal: AbortSignal; readonly said: (line: string) => void },
): HostGate => {
  let wait = 0;
  let closed: Promise<void> | undefined;
  return {
    async pass(signal) {
      while (closed && !signal.aborted && !over.aborted) await closed;
    },
    close(reason) {
      if (closed) return;
      if (wait === 0) said(`events wait: ${reason}`);
      wait = Math.min(Math.max(wait * 2, shortest), longest);
      closed = pause(wait, over).then(() => {
        closed = undefined;
      });
    },
    open() {
      if (wait > 0) said("events go on");
      wait = 0;
    },
  };
};
