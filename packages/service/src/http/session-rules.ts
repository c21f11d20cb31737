/** Bounds of agents' sessions. */
export interface SessionRules {
  /** A session ends this long after the sign-in. @units milliseconds */
  readonly maxAgeMs: number;
  /** A session ends this long after its last request. @units milliseconds */
  readonly maxIdleMs: number;
}

const HOUR_MS = 3_600_000;

/** @assumed An agent who works each day signs in every second week. */
export const SESSION_RULES: SessionRules = { maxAgeMs: 14 * 24 * HOUR_MS, maxIdleMs: 24 * HOUR_MS };

/** The oldest sessions of an agent end when it has more. @assumed */
export const SESSIONS_PER_AGENT_MAX = 50;

/** The last request of a session is recorded at most this often. @units milliseconds */
export const LAST_SEEN_INTERVAL_MS = 60_000;
