import { useState } from "react";
import { VALUES } from "../contract-values.ts";
import type { DraftContent, DraftKeeper } from "./draft-keeper.ts";
import { refusalOf } from "./interceptors.ts";
import { composerMessages as texts } from "./messages.ts";
import type { Uploads } from "./uploads.ts";
import { settleDraft } from "./use-draft.ts";

export const { text_characters: TEXT_MAX, parts: PARTS_MAX } = VALUES.limits;

interface SubmitInput {
  readonly conversationId: string;
  readonly keeper: DraftKeeper;
  readonly uploads: Uploads;
  /** -> whether it was sent */
  readonly onSend: (content: DraftContent) => Promise<boolean>;
}

/** -> why a message can't be sent as it is; undefined if it can */
const problemOf = ({ text, parts }: DraftContent, uploads: Uploads): string | undefined => {
  const waiting = uploads.list.get();
  if (waiting.some(({ error }) => error !== undefined)) return texts.failedUploads;
  if (waiting.length > 0) return texts.waitForUploads;
  if (text.length > TEXT_MAX) return texts.over(text.length - TEXT_MAX);
  const attachmentsMax = text === "" ? PARTS_MAX : PARTS_MAX - 1;
  return parts.length > attachmentsMax ? texts.tooMany(attachmentsMax) : undefined;
};

/** Sends what is written, unless it is empty, incomplete, or an app refuses it. */
export const useSubmit = ({ conversationId, keeper, uploads, onSend }: SubmitInput) => {
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (): Promise<void> => {
    if (isAsking) return;
    const written = keeper.content.get();
    const content = { ...written, text: written.text.trim() };
    const found = problemOf(content, uploads);
    setProblem(found);
    if (found !== undefined || (content.text === "" && content.parts.length === 0)) return;
    setAsking(true);
    const refusal = await refusalOf("send", { conversationId, ...content }).finally(() => setAsking(false));
    if (refusal !== undefined) return setProblem(refusal);
    keeper.clear();
    if (await onSend(content)) settleDraft(keeper);
  };
  return { submit: () => void submit(), isAsking, problem, clearProblem: () => setProblem(undefined) };
};
