import { INVALID_VALUE, LAST_EVENT_ID, refuse, type StreamReset } from "@parley/contract";
import { bell } from "../events/bell.ts";
import type { Ports } from "../ports.ts";
import { BEGINNING, placeOf, signOf, type Place } from "./place.ts";
import type { Reading } from "./reading.ts";
import type { StreamStore } from "./store.ts";

/** Where a stream begins. */
export interface Beginning {
  readonly from: Place;
  /** Said first, where what the reader asked for is not there any more. */
  readonly reset: StreamReset | undefined;
}

export interface BeginningDeps {
  readonly reading: Pick<Reading, "horizon" | "follow">;
  readonly store: Pick<StreamStore, "eventAt" | "lastAt" | "isWhole">;
  readonly now: Ports["now"];
  /** How long events stay in the log. @units days */
  readonly keptDays: number;
}

const RESET: StreamReset = {
  reason: "LAST_EVENT_GONE",
  message:
    "The event named by Last-Event-ID is not in the log any more: events after it may be missing. Read anew what you keep; what happens from now on follows.",
};

/** @units milliseconds */
const DAY = 86_400_000;

/** Between two looks for a signal while the end of the log is not known. @units milliseconds */
const LOOK = 1_000;

/** What nobody was handed out is a mistake; an absent or empty header asks for what happens from now on. @errors INVALID_VALUE */
const askedFor = (header: string | undefined): Place | undefined => {
  if (header === undefined || header === "") return undefined;
  return (
    placeOf(header) ??
    refuse(INVALID_VALUE, `${LAST_EVENT_ID} must be the id of an event of this stream; leave it out to begin with now`)
  );
};

export const beginnings = ({ reading, store, now, keptDays }: BeginningDeps) => {
  const oldestKept = () => new Date(now().getTime() - keptDays * DAY);

  /** Up to where the log is final, once that is known. */
  const horizonFor = async (accountId: number, signal: AbortSignal): Promise<number> => {
    const rung = bell();
    const leave = reading.follow(accountId, () => rung.ring());
    signal.addEventListener("abort", () => rung.ring(), { once: true });
    try {
      while (reading.horizon() === undefined && !signal.aborted) await rung.wait(LOOK);
    } finally {
      leave();
    }
    return reading.horizon() ?? 0;
  };

  const isThere = async ({ seq, sign }: Place, accountId: number, signal: AbortSignal): Promise<boolean> => {
    const oldest = oldestKept();
    const event = sign === BEGINNING ? undefined : await store.eventAt(seq);
    if (sign !== BEGINNING && (event === undefined || signOf(event.id) !== sign)) return false;
    if (event !== undefined && event.created_time > oldest) return true;
    // An old one may be kept for a subscriber that has not had it, while others after it are gone. What is being written is not gone.
    return store.isWhole(seq, oldest, await horizonFor(accountId, signal));
  };

  /** The end of the log. */
  const end = async (accountId: number, signal: AbortSignal): Promise<Place> => {
    const horizon = await horizonFor(accountId, signal);
    const last = await store.lastAt(horizon);
    // After an old one others may be gone.
    const isNear = last !== undefined && (last.seq === horizon || last.created_time > oldestKept());
    return isNear ? { seq: last.seq, sign: signOf(last.id) } : { seq: horizon, sign: BEGINNING };
  };

  /** @errors INVALID_VALUE */
  return async (accountId: number, header: string | undefined, signal: AbortSignal): Promise<Beginning> => {
    const asked = askedFor(header);
    if (asked && (await isThere(asked, accountId, signal))) return { from: asked, reset: undefined };
    return { from: await end(accountId, signal), reset: asked && RESET };
  };
};
export type Begin = ReturnType<typeof beginnings>;
