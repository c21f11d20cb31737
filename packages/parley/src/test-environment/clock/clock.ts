import { DURATION_UNITS_MS, type ClockState } from "@parley/contract";
import type { Ports } from "@parley/service";

const UNITS: Readonly<Record<string, number>> = DURATION_UNITS_MS;

const PLAIN = /^(?:\d+(?:\.\d+)?(?:ms|[wdhms]))+$/;
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Parses a duration such as `1d`, `90m`, `1h30m`, `500ms` or `PT2H`. -> undefined for other texts @units milliseconds */
export function durationOf(text: string): number | undefined {
  const plain = text.replaceAll(" ", "").toLowerCase();
  if (PLAIN.test(plain)) {
    const parts = [...plain.matchAll(/(\d+(?:\.\d+)?)(ms|[wdhms])/g)];
    return Math.round(parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0), 0));
  }
  const parts = ISO.exec(text.trim().toUpperCase())?.slice(1);
  if (!parts || parts.every((part) => part === undefined)) return undefined;
  return Math.round(
    ["w", "d", "h", "m", "s"].reduce((sum, unit, index) => sum + Number(parts[index] ?? 0) * (UNITS[unit] ?? 0), 0),
  );
}

/** The values from which the time of a clock follows. @units milliseconds */
export interface ClockSetting {
  /** Time of a frozen clock; absent: the clock runs. */
  readonly frozenMs: number | undefined;
  /** Offset of a running clock from the machine's. */
  readonly offsetMs: number;
}

/** Adjustable clock of a local instance. Its state ends with the instance. */
export interface AdjustableClock {
  readonly now: () => Date;
  readonly onJump: (listener: () => void) => () => void;
  /** Registers a listener that is called after each change, also of one that leaves the time. */
  readonly onChange: (listener: () => void) => void;
  readonly state: () => ClockState;
  readonly setting: () => ClockSetting;
  /** Stops the clock at a time, or at the present time. */
  freeze(time?: Date): void;
  /** Sets the time; a frozen clock stays frozen. */
  set(time: Date): void;
  /** @units milliseconds */
  advance(milliseconds: number): void;
  /** Lets a frozen clock run from its time on. */
  run(): void;
  /** Saves the state for temporary changes. -> a function that restores it */
  saveState(): () => void;
  /** Restores the initial state. */
  reset(): void;
}

const BACKWARDS_WARNING =
  "The clock was set back: new records can sort before earlier records. 'npx parley reset' restores data and clock.";

/** Clock of a process that follows the clock of the instance. */
export function followingClock({ now: real }: Pick<Ports, "now">) {
  const listeners = new Set<() => void>();
  let setting: ClockSetting = { frozenMs: undefined, offsetMs: 0 };
  const currentMs = () => setting.frozenMs ?? real().getTime() + setting.offsetMs;
  return {
    now: () => new Date(currentMs()),
    /** -> undefined while the clock is the machine's */
    setting: () => (setting.frozenMs === undefined && setting.offsetMs === 0 ? undefined : setting),
    onJump(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    set(next: ClockSetting) {
      const before = currentMs();
      setting = next;
      if (Math.abs(currentMs() - before) > 1) for (const listener of [...listeners]) listener();
    },
  };
}

/**
 * @shape frozenAt: initial time of a frozen clock; absent: the clock follows the machine's
 * @assumed A changed clock is not stored: the next instance starts with the machine's time.
 */
export function createAdjustableClock({ now: real }: Pick<Ports, "now">, frozenAt?: Date): AdjustableClock {
  const listeners = new Set<() => void>();
  const changeListeners = new Set<() => void>();
  let frozen = frozenAt?.getTime();
  /** Offset from the machine's clock. @units milliseconds */
  let offsetMs = 0;
  let warning: string | undefined;

  const currentMs = () => frozen ?? real().getTime() + offsetMs;

  /** Applies a change and notifies the listeners when the time jumped. */
  const change = (apply: () => void): void => {
    const before = currentMs();
    apply();
    const after = currentMs();
    warning = after < before - 1 ? BACKWARDS_WARNING : undefined;
    // Processes that follow the clock learn of a change first, since the listeners here may send them requests.
    for (const listener of changeListeners) listener();
    if (Math.abs(after - before) > 1) for (const listener of [...listeners]) listener();
  };
  const moveTo = (time: number): void => {
    if (frozen === undefined) offsetMs = time - real().getTime();
    else frozen = time;
  };

  return {
    now: () => new Date(currentMs()),
    onJump(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onChange: (listener) => void changeListeners.add(listener),
    setting: () => ({ frozenMs: frozen, offsetMs }),
    state: () => ({
      mode: frozen !== undefined ? "frozen" : offsetMs === 0 ? "real" : "shifted",
      now: new Date(currentMs()).toISOString(),
      real_time: real().toISOString(),
      ...(warning !== undefined && { warning }),
    }),
    freeze: (time) => change(() => (frozen = time?.getTime() ?? currentMs())),
    set: (time) => change(() => moveTo(time.getTime())),
    advance: (milliseconds) => change(() => moveTo(currentMs() + milliseconds)),
    run: () =>
      change(() => {
        if (frozen === undefined) return;
        offsetMs = frozen - real().getTime();
        frozen = undefined;
      }),
    saveState() {
      const saved = { frozen, ahead: offsetMs, warning };
      return () => {
        change(() => ({ frozen, ahead: offsetMs } = saved));
        ({ warning } = saved);
      };
    },
    reset: () => {
      change(() => {
        frozen = frozenAt?.getTime();
        offsetMs = 0;
      });
      warning = undefined;
    },
  };
}
