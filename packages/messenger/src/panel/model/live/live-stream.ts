import type { MessengerStreamItem } from "@parley/contract";
import { createBackoff } from "../api/backoff.ts";
import { isTemporary, RequestError } from "../api/request-error.ts";
import { createFrameParser } from "./event-stream.ts";
import { watchWakeUps } from "./wake-ups.ts";

/** An item with the cursor after it, if it has one: a stream continues after that. */
export interface LiveItem {
  readonly id?: string;
  readonly item: MessengerStreamItem;
}

/** `lost`: the connection was lost or refused, and is tried again. */
export type LiveState = "connecting" | "connected" | "lost";

interface LiveStreamDeps {
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** -> cursor of the last item that was handled */
  readonly lastEventId: () => string | undefined;
  readonly onItems: (items: readonly LiveItem[]) => void;
  readonly onState: (state: LiveState) => void;
}

/** Time without keep-alives after which a connection counts as lost. @units milliseconds */
const silenceOf = (keepAliveMs: number): number => 2 * keepAliveMs + 2_000;
/** Until the service has said how often keep-alives come. @units milliseconds */
const ASSUMED_KEEP_ALIVE_MS = 24_000;
/** Pause after a refusal that is not temporary. @units milliseconds */
const REFUSED_PAUSE_MS = 60_000;

/** Reads one connection until it ends, fails, or stays silent for too long. @errors RequestError of the first reply */
const readOnce = async (
  { open, lastEventId, onItems, onState }: LiveStreamDeps,
  signal: AbortSignal,
): Promise<void> => {
  const reader = (await open(lastEventId(), signal)).getReader();
  const end = (): void => void reader.cancel().catch(() => undefined);
  const decoder = new TextDecoder();
  const parse = createFrameParser();
  let silenceMs = silenceOf(ASSUMED_KEEP_ALIVE_MS);
  let silence = setTimeout(end, silenceMs);
  signal.addEventListener("abort", end);
  try {
    for (let read = await reader.read(); !read.done && !signal.aborted; read = await reader.read()) {
      clearTimeout(silence);
      const items = parse(decoder.decode(read.value, { stream: true })).map(({ id, event, data = "" }): LiveItem => {
        const item = { event, data: JSON.parse(data) as unknown } as MessengerStreamItem;
        if (item.event === "stream_start") silenceMs = silenceOf(item.data.keep_alive_ms);
        return { ...(id !== undefined && { id }), item };
      });
      onState("connected");
      if (items.length > 0) onItems(items);
      silence = setTimeout(end, silenceMs);
    }
  } catch {
    // The connection was lost: the caller reconnects.
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
    end();
  }
};

/** Follows the visitor's events until the signal is aborted. Continues after the last handled item, also after the device has slept. */
export const followStream = async (deps: LiveStreamDeps, signal: AbortSignal): Promise<void> => {
  const backoff = createBackoff();
  deps.onState("connecting");
  while (!signal.aborted) {
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    signal.addEventListener("abort", abort);
    // After a sleep or a change of the network, the connection may be dead without an error.
    const unwatch = watchWakeUps(abort);
    let minPauseMs = 0;
    try {
      await readOnce({ ...deps, onItems: (items) => (backoff.reset(), deps.onItems(items)) }, attempt.signal);
    } catch (error) {
      if (!isTemporary(error)) minPauseMs = REFUSED_PAUSE_MS;
      else if (error instanceof RequestError) minPauseMs = error.retryAfterMs;
    } finally {
      unwatch();
      signal.removeEventListener("abort", abort);
    }
    if (signal.aborted) return;
    // A connection that was ended because the device woke up is opened again at once.
    if (attempt.signal.aborted) continue;
    deps.onState("lost");
    backoff.fail();
    await backoff.wait(minPauseMs, signal);
  }
};
