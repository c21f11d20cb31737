import { refuse, SERVICE_UNAVAILABLE, TOO_MANY_STREAMS } from "@parley/contract";
import { createStopController } from "../../base/concurrency/wake-signal.ts";
import type { Ports } from "../../base/environment/ports.ts";
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
  /**
   * @shape credentialId: of a token or a session; access: fingerprint of the role and scope of a session's agent
   * @errors TOO_MANY_STREAMS, SERVICE_UNAVAILABLE
   */
  readonly enter: (credentialId: string, access?: string | null) => OpenStream;
  readonly isEmpty: () => boolean;
  /** Ends the streams whose token or session has ended, and those whose agent has another role or reaches other conversations than at their begin. */
  readonly check: () => Promise<void>;
  /** Ends all streams, and each one that is opened later. */
  readonly end: () => void;
}

interface OpenStreamsDeps extends Pick<Ports, "now"> {
  readonly rules: Pick<StreamRules, "perProcess" | "perToken" | "retryAfter">;
  readonly liveCredentials: StreamStore["liveCredentials"];
}

export const createOpenStreams = ({ rules, liveCredentials, now }: OpenStreamsDeps): OpenStreams => {
  const byCredential = new Map<string, Set<AbortController>>();
  const accesses = new WeakMap<AbortController, string | null>();
  let count = 0;
  let isOver = false;

  const endAll = (streams: Iterable<AbortController>) => {
    for (const each of streams) each.abort();
  };

  return {
    enter(credentialId, access = null) {
      if (isOver || count >= rules.perProcess) refuse(SERVICE_UNAVAILABLE, undefined, rules.retryAfter);
      const own = byCredential.get(credentialId) ?? new Set();
      if (own.size >= rules.perToken) refuse(TOO_MANY_STREAMS, undefined, rules.retryAfter);
      const stream = createStopController();
      accesses.set(stream, access);
      byCredential.set(credentialId, own.add(stream));
      count += 1;
      return {
        signal: stream.signal,
        leave() {
          stream.abort();
          if (!own.delete(stream)) return;
          count -= 1;
          if (own.size === 0) byCredential.delete(credentialId);
        },
      };
    },
    isEmpty: () => count === 0,
    async check() {
      const ids = [...byCredential.keys()];
      const live = await liveCredentials(ids);
      const valid = live.filter(({ expires_time }) => expires_time > now());
      const accessOf = new Map(valid.map(({ id, access }) => [id, access]));
      for (const id of ids)
        endAll([...(byCredential.get(id) ?? [])].filter((stream) => accesses.get(stream) !== accessOf.get(id)));
    },
    end() {
      isOver = true;
      endAll([...byCredential.values()].flatMap((own) => [...own]));
    },
  };
};
