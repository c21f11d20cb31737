/** @jsxImportSource preact */
import type { MessengerMessage } from "@parley/contract";
import { useRef } from "preact/hooks";
import { authorOf } from "../elements/author.ts";
import { useDisplay } from "../elements/display.ts";
import type { PanelState } from "../model/panel-model.ts";
import { readableText } from "../parts/readable-text.ts";
import { isOwn } from "./rows.ts";

/** Messages that stay in the live region; screen readers read additions only. */
const KEPT = 4;
const TEXT_CHARACTERS_MAX = 500;

/** -> the messages that are on display: those of the open thread, else the last one of each conversation */
const shownMessages = ({ place, threads, conversations }: PanelState): readonly MessengerMessage[] => {
  const thread = place.kind === "thread" ? threads.get(place.key) : undefined;
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
  const messages = shownMessages(state);
  const before = latest.current;
  if (state.phase === "ready")
    latest.current = messages.reduce(
      (time, { created_time }) => (created_time > time ? created_time : time),
      before ?? "",
    );
  if (before !== undefined && state.isOpen)
    for (const message of messages) {
      if (message.created_time <= before || isOwn(message) || kept.current.some(({ id }) => id === message.id))
        continue;
      const text = readableText([...message.message_parts, ...(message.reply_parts ?? [])], display.texts);
      const read = display.texts.by(authorOf(message.actor, display).name, text.slice(0, TEXT_CHARACTERS_MAX));
      kept.current = [...kept.current, { id: message.id, text: read }].slice(-KEPT);
    }
  return (
    <div
      class="visuallyHidden"
      role="log"
      aria-live="polite"
      aria-relevant="additions"
      aria-label={display.texts.newMessages}
    >
      {kept.current.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
};
