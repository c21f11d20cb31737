/** @jsxImportSource preact */
import type { MessengerMessage } from "@parley/contract";
import { useRef } from "preact/hooks";
import { authorOf } from "../elements/author.ts";
import { useDisplay } from "../elements/display.ts";
import type { PanelState, Thread } from "../model/panel-model.ts";
import { readableText } from "../parts/readable-text.ts";
import { isOwn } from "./rows.ts";

/** Messages that stay in the live region; screen readers read additions only. */
const KEPT = 4;
const TEXT_CHARACTERS_MAX = 500;

/** -> the messages that are on display: those of the open thread, and the last one of each other conversation */
const shownMessages = ({ conversations }: PanelState, thread: Thread | undefined): readonly MessengerMessage[] => {
  const lasts = conversations
    .filter(({ id }) => id !== thread?.conversation?.id)
    .flatMap(({ last_message }) => last_message ?? []);
  return [...lasts, ...(thread?.messages ?? [])];
};

/** Live region that reads each message of others once when it arrives. Messages from before the panel was loaded are not read. */
export const Announcer = ({ state }: { readonly state: PanelState }) => {
  const display = useDisplay();
  /** Time of the latest message so far. Only times of the service are compared with each other. */
  const latest = useRef<string>(undefined);
  const kept = useRef<readonly { readonly id: string; readonly text: string }[]>([]);
  const announced = useRef(new Set<string>());
  const announce = (id: string, text: string): void => {
    if (announced.current.has(id)) return;
    announced.current.add(id);
    kept.current = [...kept.current, { id, text }].slice(-KEPT);
  };
  const thread = state.place.kind === "thread" ? state.threads.get(state.place.key) : undefined;
  const messages = shownMessages(state, thread);
  const before = latest.current;
  if (state.phase === "ready")
    latest.current = messages.reduce(
      (time, { created_time }) => (created_time > time ? created_time : time),
      before ?? "",
    );
  if (before !== undefined && state.isOpen)
    for (const message of messages) {
      if (message.created_time <= before || isOwn(message)) continue;
      const text = readableText([...message.message_parts, ...(message.reply_parts ?? [])], display.texts);
      const read = display.texts.by(authorOf(message.actor, display).name, text.slice(0, TEXT_CHARACTERS_MAX));
      announce(message.id, read);
    }
  for (const { id, state: sendState, failure } of thread?.outgoing ?? [])
    if (sendState === "failed") announce(id, `${display.texts.failed} ${display.failureText(failure)}`);
  return (
    <div
      class="visuallyHidden"
      role="log"
      aria-live="polite"
      aria-relevant="additions"
      aria-label={display.texts.newReplies}
    >
      {kept.current.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
};
