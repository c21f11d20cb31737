import type { LiveItem } from "./live-messages.ts";

/** Cursors that are remembered, so that an item that arrives from two tabs is delivered once. */
const REMEMBERED_IDS = 512;
/** Longest time until a page that is not visible handles items. @units milliseconds */
const HIDDEN_DELAY_MS = 250;

const OUTSIDE_OF_LOG: readonly LiveItem["event"][] = [
  "stream_start",
  "presence",
  "customer_presence",
  "own_change",
  "property_change",
  "reset",
];
/** Items outside of the log have the cursor of the event before them. */
const isLogged = ({ event }: LiveItem): boolean => !OUTSIDE_OF_LOG.includes(event);

interface Batches {
  add(items: readonly LiveItem[]): void;
  /** Cursor of the last item that was added: a stream continues after it. */
  lastId(): string | undefined;
}

/** Gathers items, and delivers them once a frame: hundreds of events a second cost as many renderings as the screen shows. */
export const createBatches = (deliver: (items: readonly LiveItem[]) => void): Batches => {
  let waiting: LiveItem[] = [];
  let isScheduled = false;
  let last: string | undefined;
  const seen = new Set<string>();

  const flush = (): void => {
    isScheduled = false;
    const items = waiting;
    waiting = [];
    if (items.length > 0) deliver(items);
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    if (document.visibilityState === "visible") requestAnimationFrame(flush);
    else setTimeout(flush, HIDDEN_DELAY_MS);
  };
  // A frame that was requested before the page was hidden would not come.
  document.addEventListener("visibilitychange", () => isScheduled && setTimeout(flush, 0));

  /** -> false for an event of the log that was added before */
  const note = (item: LiveItem): boolean => {
    const { id } = item;
    last = id;
    if (!isLogged(item)) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > REMEMBERED_IDS && oldest !== undefined) seen.delete(oldest);
    return true;
  };

  return {
    add(items) {
      waiting.push(...items.filter(note));
      schedule();
    },
    lastId: () => last,
  };
};
