import type { CustomerPresence, Presence } from "@parley/contract";
import { useCallback, useRef } from "react";
import { streamId } from "../live/live.ts";
import { customers, presences } from "../live/presences.ts";
import { client } from "../session/session.ts";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";

type Report = Presence["state"] | "left";

/** Tabs of a browser share a stream. */
const tabId = Math.random().toString(36).slice(2, 14);

/** Writing is reported again while it lasts: the service ends it 8 s after the last report. @units milliseconds */
const TYPING_AGAIN_MS = 5_000;
/** @units milliseconds */
const TYPING_ENDS_MS = 5_000;

/** Reports follow each other, so that the last one holds. */
let reports: Promise<unknown> = Promise.resolve();

const report = (conversation_id: string, stream_id: string | undefined, state: Report): void => {
  if (stream_id === undefined) return;
  reports = reports.then(async () => {
    // A stream that has ended took its presences with it; the next one is reported for by its id.
    if (stream_id !== streamId.get()) return;
    const body = { stream_id, tab_id: tabId, state };
    await client.live.reportPresence({ params: { conversation_id }, body }).catch(() => undefined);
  });
};

/** Reports that the agent has the conversation open, while the page is visible. -> call it when the agent writes */
export const useReportedPresence = (conversationId: string): (() => void) => {
  const stream = useStore(streamId);
  const typing = useRef<{ readonly since: number; timer: ReturnType<typeof setTimeout> }>(undefined);

  useEffect(() => {
    const show = (): void =>
      report(conversationId, stream, document.visibilityState === "visible" ? "viewing" : "left");
    show();
    document.addEventListener("visibilitychange", show);
    return () => {
      document.removeEventListener("visibilitychange", show);
      clearTimeout(typing.current?.timer);
      typing.current = undefined;
      report(conversationId, stream, "left");
    };
  }, [conversationId, stream]);

  return useCallback(() => {
    const end = (): void => {
      typing.current = undefined;
      report(conversationId, stream, "viewing");
    };
    const { since = 0, timer } = typing.current ?? {};
    clearTimeout(timer);
    const isDue = Date.now() - since >= TYPING_AGAIN_MS;
    if (isDue) report(conversationId, stream, "typing");
    typing.current = { since: isDue ? Date.now() : since, timer: setTimeout(end, TYPING_ENDS_MS) };
  }, [conversationId, stream]);
};

const NOBODY: readonly Presence[] = [];

/** The agents who have the conversation open. */
export const usePresences = (conversationId: string): readonly Presence[] =>
  useStore(presences).get(conversationId) ?? NOBODY;

/** -> undefined for a customer of whom the messenger knows nothing */
export const useCustomerPresence = (conversationId: string): CustomerPresence | undefined =>
  useStore(customers).get(conversationId);
