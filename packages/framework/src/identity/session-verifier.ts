import { identityAdmin, schemaErrors, type SessionAgent } from "@parley/contract";
import type { Log } from "@parley/telemetry";
import type { HostPorts } from "../environment/ports.ts";
import { callServiceAdmin, type ServiceAdmin } from "./service-admin.ts";

/**
 * The agent whose session a cookie is. `unverifiable`: the service gave no usable answer, so nobody knows; this is not the same as signed out.
 */
export type VerifiedCookie =
  | { readonly state: "signed-in"; readonly agent: SessionAgent }
  | { readonly state: "signed-out" }
  | { readonly state: "unverifiable" };

export type VerifySession = (secret: string) => Promise<VerifiedCookie>;

/** The proof of a session: the value of the service's cookie, or the id that a page ticket was exchanged for. */
type SessionProof = "cookie" | "session";

/**
 * Lifetime of an answer, from the moment of the question. The service itself knows of an ended session within 900 ms, so that pages of
 * this host refuse it about a second after its end. A page load asks once.
 * @units milliseconds
 */
const ANSWER_TTL_MS = 100;
/** Maximum cached answers. Beyond it the least recently used sessions are evicted. */
const CACHED_ANSWERS_MAX = 1_000;
/** Maximum questions in progress. Beyond it further cookies are unverifiable. */
const QUESTIONS_IN_PROGRESS_MAX = 256;
/** @units milliseconds */
const VERIFICATION_TIMEOUT_MS = 2_000;

/** The alphabet and a bound of the secret of a session. Other texts are not sessions; the service is not asked about them. */
const SESSION_SECRET = /^[\w-]{16,128}$/;

interface SessionVerifierOptions {
  /** "cookie" when absent. */
  readonly proof?: SessionProof;
  /** @units milliseconds */
  readonly ttlMs?: number;
  /** @units milliseconds */
  readonly timeoutMs?: number;
  readonly monotonicMs: HostPorts["monotonicMs"];
  readonly log: Log;
}

interface CachedAnswer {
  readonly answer: Promise<VerifiedCookie>;
  /** @units milliseconds of the monotonic clock */
  readonly validUntilMs: number;
}

const SIGNED_OUT: VerifiedCookie = { state: "signed-out" };
const UNVERIFIABLE: VerifiedCookie = { state: "unverifiable" };

/**
 * Creates the function that asks the service whose session a cookie is. Concurrent questions about a cookie are one request. An answer is
 * cached, for known and unknown cookies; a failure is not.
 */
export const createSessionVerifier = (
  service: ServiceAdmin,
  {
    proof = "cookie",
    ttlMs = ANSWER_TTL_MS,
    timeoutMs = VERIFICATION_TIMEOUT_MS,
    monotonicMs,
    log,
  }: SessionVerifierOptions,
): VerifySession => {
  const answers = new Map<string, CachedAnswer>();
  const inProgress = new Map<string, Promise<VerifiedCookie>>();
  let isReported = false;

  const ask = async (cookie: string): Promise<VerifiedCookie> => {
    const row = identityAdmin.verifySession;
    const { status, body } = await callServiceAdmin(service, row, { body: { [proof]: cookie }, timeoutMs });
    const isUsable = status === 200 && schemaErrors(row.reply.body, body).length === 0;
    if (!isUsable) {
      const reason = status === 0 ? "it can't be reached" : `it answered ${status}`;
      if (!isReported)
        log(`The service could not be asked about sessions: ${reason}. Pages answer 503.`, { level: "error" });
      isReported = true;
      return UNVERIFIABLE;
    }
    if (isReported) log("The service answers questions about sessions again.");
    isReported = false;
    const { agent } = body as { readonly agent?: SessionAgent };
    return agent === undefined ? SIGNED_OUT : { state: "signed-in", agent };
  };

  const askOnce = (cookie: string): Promise<VerifiedCookie> => {
    const present = inProgress.get(cookie);
    if (present) return present;
    if (inProgress.size >= QUESTIONS_IN_PROGRESS_MAX) return Promise.resolve(UNVERIFIABLE);
    const validUntilMs = monotonicMs() + ttlMs;
    const answer = ask(cookie);
    inProgress.set(cookie, answer);
    void answer.then((verified) => {
      inProgress.delete(cookie);
      if (verified === UNVERIFIABLE) return;
      answers.set(cookie, { answer, validUntilMs });
      for (const oldest of answers.keys()) {
        if (answers.size <= CACHED_ANSWERS_MAX) break;
        answers.delete(oldest);
      }
    });
    return answer;
  };

  return async (cookie) => {
    if (!SESSION_SECRET.test(cookie)) return SIGNED_OUT;
    const cached = answers.get(cookie);
    if (!cached) return askOnce(cookie);
    answers.delete(cookie);
    if (cached.validUntilMs <= monotonicMs()) return askOnce(cookie);
    // Moved to the end, so that the map is in order of use.
    answers.set(cookie, cached);
    return cached.answer;
  };
};
