import { refuse, SERVICE_UNAVAILABLE, TOO_MANY_STREAMS } from "@parley/contract";
import { createStopController } from "../concurrency/wake-signal.ts";
import type { Ports } from "../environment/ports.ts";
import type { StreamRules } from "./stream-rules.ts";
import type { StreamStore } from "./store.ts";

/** One stream of this process. */
interface OpenStream {
  readonly signal: AbortSignal;
  /** Frees the place of the stream; may be called again. */
  readonly leave: () => void;
}

/** The streams of this process: limits on their number and their duration. */
export interface OpenStreams {
  /** @errors TOO_MANY_STREAMS, SERVICE_UNAVAILABLE */
  readonly enter: (tokenId: string) => OpenStream;
  readonly isEmpty: () => boolean;
  /** Ends the streams whose token was revoked or has expired. */
  readonly check: () => Promise<void>;
  /** Ends all streams, and each one that is opened later. */
  readonly end: () => void;
}

interface OpenStreamsDeps extends Pick<Ports, "now"> {
  readonly rules: Pick<StreamRules, "perProcess" | "perToken" | "retryAfter">;
  readonly liveTokens: StreamStore["liveTokens"];
}

export const createOpenStreams = ({ rules, liveTokens, now }: OpenStreamsDeps): OpenStreams => {
  const byToken = new Map<string, Set<AbortController>>();
  let count = 0;
  let isOver = false;

  const endAll = (streams: Iterable<AbortController>) => {
    for (const each of streams) each.abort();
  };

  return {
    enter(tokenId) {
      if (isOver || count >= rules.perProcess) refuse(SERVICE_UNAVAILABLE, undefined, rules.retryAfter);
      const own = byToken.get(tokenId) ?? new Set();
      if (own.size >= rules.perToken) refuse(TOO_MANY_STREAMS, undefined, rules.retryAfter);
      const stream = createStopController();
      byToken.set(tokenId, own.add(stream));
      count += 1;
      return {
        signal: stream.signal,
        leave() {
          stream.abort();
          if (!own.delete(stream)) return;
          count -= 1;
          if (own.size === 0) byToken.delete(tokenId);
        },
      };
    },
    isEmpty: () => count === 0,
    async check() {
      const tokenIds = [...byToken.keys()];
      const live = await liveTokens(tokenIds);
      const good = new Set(live.filter(({ expires_time }) => expires_time > now()).map(({ id }) => id));
      for (const id of tokenIds) if (!good.has(id)) endAll([...(byToken.get(id) ?? [])]);
    },
    end() {
      isOver = true;
      endAll([...byToken.values()].flatMap((own) => [...own]));
    },
  };
};
