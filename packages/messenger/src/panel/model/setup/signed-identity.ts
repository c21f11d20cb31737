import type { SignedIdentityPolicy, Visitor } from "@parley/contract";
import type { ReportEvent } from "../../../bridge/bridge.ts";
import type { PanelState } from "../panel-model.ts";
import { panelUserOf } from "../session/profile.ts";
import type { Store } from "../store.ts";

/**
 * Whether the visitor of this page has an identity that the site signed. Where the account only has a key, the site is asked for a token, and visitors
 * without one go on.
 * States: unknown → signed | unsigned; signed → unsigned when the token has ended; any → unsigned or unknown when the person changes.
 */
export interface SignedIdentity {
  /** The panel has started: the state is reported, from now on with each change. */
  readonly start: () => void;
  /** The service has accepted the session. */
  readonly accept: (visitor: Visitor) => void;
  /** The service has refused a request because the session has no signed identity. */
  readonly require: () => void;
  /** The person at this browser changed. */
  readonly forget: () => void;
  readonly stop: () => void;
}

interface SignedIdentityDeps {
  readonly state: Store<PanelState>;
  readonly policy: SignedIdentityPolicy;
  readonly session: () => { readonly token?: string; readonly signedUntil?: string } | undefined;
  /** Sends a request that the service refuses if the signed identity has ended. */
  readonly probe: () => Promise<unknown>;
  readonly report: ReportEvent;
  /** Whether the page shows the messenger. */
  readonly onShown: (isShown: boolean) => void;
  /** Conversations can be read and written again, or not any more. */
  readonly onChange: (isUnsigned: boolean) => void;
}

/** Pause between two requests whether the token has ended, when the clock of the device is fast. @units milliseconds */
const PROBE_PAUSE_MS = 60_000;
/** Longest time of a timer. @units milliseconds */
const TIMER_MS_MAX = 2_147_483_647;

export const createSignedIdentity = (deps: SignedIdentityDeps): SignedIdentity => {
  const { state, policy, session, probe, report, onShown, onChange } = deps;
  let status: "unknown" | "signed" | "unsigned" = "unknown";
  /** The visitor of a signed identity. */
  let visitor: Visitor | undefined;
  let isReported = false;
  let isStarted = false;
  let isShown: boolean | undefined;
  /** Whether a token was accepted since the person changed: a messenger that is shown stays. */
  let isAccepted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const publish = (): void => {
    if (policy.is_hidden_until_signed && isShown !== isAccepted) onShown((isShown = isAccepted));
    if (isReported || status === "unknown") return;
    isReported = true;
    const name = visitor ? "authenticated" : "not_authenticated";
    if (visitor) report("user:authenticated", { success: true, status: 200, data: panelUserOf(visitor) });
    report("user:statechange", { success: true, data: { userState: name } });
    report("frame:statechange", { success: true, data: { frameState: name } });
  };
  const set = (next: typeof status, isUnsigned: boolean): void => {
    status = next;
    isReported = false;
    clearTimeout(timer);
    if (state.get().isUnsigned !== isUnsigned) {
      state.update((current) => ({ ...current, isUnsigned }));
      onChange(isUnsigned);
    }
    // A change from one person to the next is reported once.
    if (isStarted) queueMicrotask(publish);
  };

  /** The service decides when the token has ended: the clock of the device may be wrong. */
  const probeAfter = (ms: number): void => {
    const next = (): void => {
      if (status === "signed") probeAfter(PROBE_PAUSE_MS);
    };
    timer = setTimeout(() => void probe().then(next, next), Math.min(Math.max(ms, 1_000), TIMER_MS_MAX));
  };

  return {
    start() {
      isStarted = true;
      if (status === "unknown" && policy.has_key) set("unsigned", policy.is_required);
      else publish();
    },
    accept(accepted) {
      const until = Date.parse(session()?.signedUntil ?? "");
      if (!policy.is_required && !(until > Date.now())) return;
      visitor = accepted;
      isAccepted = true;
      set("signed", false);
      if (policy.is_required && until > 0) probeAfter(until - Date.now());
    },
    require() {
      visitor = undefined;
      if (status !== "unsigned") set("unsigned", true);
    },
    forget() {
      isAccepted = false;
      visitor = undefined;
      // The session of another tab is asked for first.
      set(policy.has_key && session()?.token === undefined ? "unsigned" : "unknown", policy.is_required);
    },
    stop: () => clearTimeout(timer),
  };
};
