import type { LiveItem, LiveState } from "./live-stream.ts";

/**
 * Messages among the tabs of a browser that show the messenger of one account at one site. `begin`: the stream does not continue an earlier
 * one, so earlier data may be out of date. `forget`: the person at this browser changed.
 */
export type TabMessage =
  | { readonly kind: "items"; readonly items: readonly LiveItem[] }
  | { readonly kind: "state"; readonly state: LiveState }
  | { readonly kind: "begin" }
  | { readonly kind: "join" }
  | { readonly kind: "read"; readonly conversationId: string; readonly messageId: string }
  | { readonly kind: "forget" };

export interface TabChannel {
  /** Messages reach the tabs of the same generation. `forget` reaches all. */
  readonly send: (message: TabMessage) => void;
  readonly close: () => void;
}

interface Envelope {
  readonly generation: string | undefined;
  readonly message: TabMessage;
}

/** @shape generation: -> that of the current session */
export const openTabChannel = (
  name: string,
  generation: () => string | undefined,
  onMessage: (message: TabMessage) => void,
): TabChannel => {
  let channel: BroadcastChannel | undefined;
  try {
    channel = new BroadcastChannel(name);
  } catch {
    // Storage is blocked: each tab is alone.
  }
  channel?.addEventListener("message", ({ data }: MessageEvent<Envelope>) => {
    if (data.message.kind === "forget" || data.generation === generation()) onMessage(data.message);
  });
  return {
    send: (message) => channel?.postMessage({ generation: generation(), message } satisfies Envelope),
    close: () => channel?.close(),
  };
};
