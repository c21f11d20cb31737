import type { ClockState } from "@parley/contract";
import type { Ports } from "@parley/service";

/** The clock of a local instance, which its owner may set. It ends with the instance. */
export interface WorldClock {
  readonly now: () => Date;
  readonly onJump: (listener: () => void) => () => void;
  readonly state: () => ClockState;
  /** Stands still at a time, or where it is. */
  freeze(time?: Date): void;
  /** Goes on from a time, or stands at it when it is frozen. */
  set(time: Date): void;
  /** @units milliseconds */
  advance(milliseconds: number): void;
  /** Goes on from where it stands. */
  run(): void;
  /** Lets somebody set it as they like. -> puts it back, as if nobody had */
  lend(): () => void;
  /** As it was when the instance began. */
  reset(): void;
}

const BACKWARDS =
  "The clock went back: what is made now may sort before what was made earlier. A reset puts data and clock right.";

/**
 * @shape frozenAt: where it stands at the beginning; absent: it goes with the machine's clock
 * @assumed A clock that was set ends with its instance: the next one begins with the machine's time.
 */
export function worldClock({ now: real }: Pick<Ports, "now">, frozenAt?: Date): WorldClock {
  const listeners = new Set<() => void>();
  let frozen = frozenAt?.getTime();
  /** Ahead of the machine's clock. @units milliseconds */
  let ahead = 0;
  let warning: string | undefined;

  const present = () => frozen ?? real().getTime() + ahead;

  /** Changes the clock, and tells when that moved it. */
  const change = (work: () => void): void => {
    const before = present();
    work();
    const after = present();
    warning = after < before - 1 ? BACKWARDS : undefined;
    if (Math.abs(after - before) > 1) for (const tell of [...listeners]) tell();
  };
  const goTo = (time: number): void => {
    if (frozen === undefined) ahead = time - real().getTime();
    else frozen = time;
  };

  return {
    now: () => new Date(present()),
    onJump(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => ({
      mode: frozen !== undefined ? "frozen" : ahead === 0 ? "real" : "shifted",
      now: new Date(present()).toISOString(),
      real_time: real().toISOString(),
      ...(warning !== undefined && { warning }),
    }),
    freeze: (time) => change(() => (frozen = time?.getTime() ?? present())),
    set: (time) => change(() => goTo(time.getTime())),
    advance: (milliseconds) => change(() => goTo(present() + milliseconds)),
    run: () =>
      change(() => {
        if (frozen === undefined) return;
        ahead = frozen - real().getTime();
        frozen = undefined;
      }),
    lend() {
      const kept = { frozen, ahead, warning };
      return () => {
        change(() => ({ frozen, ahead } = kept));
        ({ warning } = kept);
      };
    },
    reset: () => {
      change(() => {
        frozen = frozenAt?.getTime();
        ahead = 0;
      });
      warning = undefined;
    },
  };
}
