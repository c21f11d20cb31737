import { useState } from "react";
import { VALUES } from "../contract-values.ts";
import type { DraftContent, DraftKeeper, DraftText } from "./draft-keeper.ts";
import { interceptorRefusal } from "./interceptors.ts";
import { composerMessages as texts } from "./messages.ts";
import type { Uploads } from "./uploads.ts";
import { settleDraft } from "./open-drafts.ts";

export const TEXT_MAX = VALUES.limits.text_characters;
const PARTS_MAX = VALUES.limits.parts;

interface SubmitInput {
  readonly conversationId: string;
  readonly keeper: DraftKeeper;
  readonly isPrivate: boolean;
  readonly uploads: Uploads;
  /** -> whether it was sent */
  readonly onSend: (content: DraftContent) => Promise<boolean>;
}

/** -> why a message can't be sent as it is; undefined if it can */
const problemOf = ({ text, parts }: DraftText, uploads: Uploads): string | undefined => {
  // A file that is refused for good does not hold up the others: its line says that it is not sent.
  const waiting = uploads.list.get().filter(({ isRefused = false }) => !isRefused);
  if (waiting.some(({ error }) => error !== undefined)) return texts.failedUploads;
  if (waiting.length > 0) return texts.waitForUploads;
  if (text.length > TEXT_MAX) return texts.over(text.length - TEXT_MAX);
  const attachmentsMax = text === "" ? PARTS_MAX : PARTS_MAX - 1;
  return parts.length > attachmentsMax ? texts.tooMany(attachmentsMax) : undefined;
};

/** Sends the written message, unless it is empty, incomplete, or an app refuses it. */
export const useSubmit = ({ conversationId, keeper, isPrivate, uploads, onSend }: SubmitInput) => {
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (): Promise<void> => {
    if (isAsking) return;
    const written = keeper.content.get();
    const content = { ...written, isPrivate, text: written.text.trim() };
    const found = problemOf(content, uploads);
    setProblem(found);
    if (found !== undefined || (content.text === "" && content.parts.length === 0)) return;
    setAsking(true);
    const refusal = await interceptorRefusal("send", { conversationId, ...content }).finally(() => setAsking(false));
    if (refusal !== undefined) return setProblem(refusal);
    const { text: present } = keeper.content.get();
    keeper.clear();
    // Text that was typed while apps were asked stays.
    if (present !== written.text)
      keeper.change({ text: present.startsWith(written.text) ? present.slice(written.text.length) : present });
    if (await onSend(content)) settleDraft(keeper);
  };
  return { submit: () => void submit(), isAsking, problem, clearProblem: () => setProblem(undefined) };
};
