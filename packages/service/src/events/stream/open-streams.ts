import { refuse, SERVICE_UNAVAILABLE, TOO_MANY_STREAMS } from "@parley/contract";
import { createStopController } from "../../base/concurrency/wake-signal.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { StreamStore } from "./store.ts";

/** One stream of this process. */
interface OpenStream {
  readonly signal: AbortSignal;
  /** Frees the place of the stream; may be called again. */
  readonly leave: () => void;
}

/** Whose stream it is. */
interface StreamHolder {
  /** Id of a token or a session. */
  readonly credentialId: string;
  /** Fingerprint of the role and scope of a session's agent. */
  readonly access?: string | null | undefined;
  /** The user of a visitor's session. */
  readonly userId?: string | undefined;
}

/** Bounds of the streams of a process that one kind of credentials opens. */
export interface OpenStreamRules {
  /** Open streams of a process. */
  readonly perProcess: number;
  /** Open streams of one token or session in a process. */
  readonly perToken: number;
  /** Open streams of all sessions of a user in a process. Absent: as many as the sessions may have. */
  readonly perUser?: number;
  /** Credentials that are checked at a time. */
  readonly checked: number;
  /** Value of the Retry-After header when no stream is free. @units seconds */
  readonly retryAfter: number;
}

/** The streams of this process: limits on their number and their duration. */
export interface OpenStreams {
  /** @errors TOO_MANY_STREAMS, SERVICE_UNAVAILABLE */
  readonly enter: (holder: StreamHolder) => OpenStream;
  readonly isEmpty: () => boolean;
  /**
   * Ends the streams whose token or session has ended, and those whose agent has another role or reaches other conversations than at their
   * begin. Each call checks a part of the credentials, in turn.
   */
  readonly check: () => Promise<void>;
  /** Ends all streams, and each one that is opened later. */
  readonly end: () => void;
}

interface OpenStreamsDeps extends Pick<Ports, "now"> {
  readonly rules: OpenStreamRules;
  readonly liveCredentials: StreamStore["liveCredentials"];
}

export const createOpenStreams = ({ rules, liveCredentials, now }: OpenStreamsDeps): OpenStreams => {
  const byCredential = new Map<string, Set<AbortController>>();
  const byUser = new Map<string, number>();
  const accesses = new WeakMap<AbortController, string | null>();
  let count = 0;
  let isOver = false;
  /** Credentials that the present round has not checked. */
  let unchecked: string[] = [];

  const endAll = (streams: Iterable<AbortController>) => {
    for (const each of streams) each.abort();
  };
  const countUser = (userId: string | undefined, change: 1 | -1): void => {
    if (userId === undefined) return;
    const streams = (byUser.get(userId) ?? 0) + change;
    if (streams > 0) byUser.set(userId, streams);
    else byUser.delete(userId);
  };

  return {
    enter({ credentialId, access = null, userId }) {
      if (isOver || count >= rules.perProcess) refuse(SERVICE_UNAVAILABLE, undefined, rules.retryAfter);
      const own = byCredential.get(credentialId) ?? new Set();
      const ofUser = (userId !== undefined && byUser.get(userId)) || 0;
      if (own.size >= rules.perToken || ofUser >= (rules.perUser ?? Infinity))
        refuse(TOO_MANY_STREAMS, undefined, rules.retryAfter);
      const stream = createStopController();
      accesses.set(stream, access);
      byCredential.set(credentialId, own.add(stream));
      countUser(userId, 1);
      count += 1;
      return {
        signal: stream.signal,
        leave() {
          stream.abort();
          if (!own.delete(stream)) return;
          count -= 1;
          countUser(userId, -1);
          if (own.size === 0) byCredential.delete(credentialId);
        },
      };
    },
    isEmpty: () => count === 0,
    async check() {
      if (unchecked.length === 0) unchecked = [...byCredential.keys()];
      const ids = unchecked.splice(0, rules.checked);
      if (ids.length === 0) return;
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
