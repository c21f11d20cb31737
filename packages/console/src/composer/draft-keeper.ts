import type { Draft, MessagePart } from "@parley/contract";
import { createStore, type Store } from "../state/store.ts";

/** What the agent has begun to write. */
export interface DraftContent {
  readonly text: string;
  readonly isPrivate: boolean;
  /** Uploads that are attached. */
  readonly parts: readonly MessagePart[];
}

/** @units milliseconds */
export const DRAFT_RULES = {
  /** A draft is saved when nothing was typed for this long. */
  saveMs: 1_000,
  /** What another device saved is not taken over while the agent types here. */
  typingMs: 4_000,
} as const;

export const EMPTY_DRAFT: DraftContent = { text: "", isPrivate: false, parts: [] };

export const isEmptyDraft = ({ text, parts }: DraftContent): boolean => text === "" && parts.length === 0;

const isSameContent = (one: DraftContent, other: DraftContent): boolean =>
  one.text === other.text &&
  one.isPrivate === other.isPrivate &&
  JSON.stringify(one.parts.map(identityOf)) === JSON.stringify(other.parts.map(identityOf));

/** Addresses of uploads are signed anew whenever they are read. */
const identityOf = ({ file, image, video }: MessagePart): string =>
  file?.file_hash ?? (file?.url ?? image?.url ?? video?.url ?? "").split("?")[0] ?? "";

interface KeeperDeps {
  /** Saves the content of the conversation; an empty text without parts is deleted. */
  readonly save: (content: DraftContent) => Promise<void>;
  readonly now: () => number;
  /** Calls the function later. -> a function that prevents it @units milliseconds */
  readonly later: (run: () => void, delayMs: number) => () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the draft of one conversation and saves it:
 * clean → changed → saving → clean; saving → changed, if it is changed meanwhile or the saving fails.
 */
export interface DraftKeeper {
  readonly content: Store<DraftContent>;
  /** Changes the draft, and saves it when nothing was changed for a while. */
  change(change: Partial<DraftContent>): void;
  /** Takes over what the service has, if nothing is being written here. @shape draft: undefined if there is none */
  adopt(draft: Pick<Draft, "text" | "is_private" | "parts" | "updated_time"> | undefined): void;
  /** Saves now what is not saved. */
  flush(): Promise<void>;
  /** Empties the draft, since it was sent. The service's draft stays until the message is confirmed: see `flush`. */
  clear(): void;
  /** Whether the service has another content. */
  isChanged(): boolean;
}

export const createDraftKeeper = ({ save, now, later, onError }: KeeperDeps): DraftKeeper => {
  const content = createStore(EMPTY_DRAFT);
  /** The content that the service has, as far as is known here. */
  let saved = EMPTY_DRAFT;
  let savedTime = "";
  let changedAt = 0;
  let cancel = (): void => undefined;
  let saving: Promise<void> | undefined;

  const isChanged = (): boolean =>
    !isSameContent(content.get(), saved) && !(isEmptyDraft(content.get()) && isEmptyDraft(saved));

  const flush = async (): Promise<void> => {
    cancel();
    await saving;
    if (!isChanged()) return;
    const next = content.get();
    const before = saved;
    saved = next;
    saving = save(next).catch((error: unknown) => {
      saved = before;
      onError(error);
    });
    await saving;
    saving = undefined;
  };

  const schedule = (): void => {
    cancel();
    cancel = later(() => void flush(), DRAFT_RULES.saveMs);
  };

  return {
    content,
    isChanged,
    flush,
    change(change) {
      changedAt = now();
      content.update((present) => ({ ...present, ...change }));
      schedule();
    },
    adopt(draft) {
      const isBusy = saving !== undefined || isChanged() || now() - changedAt < DRAFT_RULES.typingMs;
      const time = draft?.updated_time ?? "";
      if (isBusy || (draft && time <= savedTime)) return;
      savedTime = time;
      const next: DraftContent = draft
        ? { text: draft.text, isPrivate: draft.is_private, parts: draft.parts }
        : { ...EMPTY_DRAFT, isPrivate: content.get().isPrivate };
      saved = next;
      if (!isSameContent(next, content.get())) content.set(next);
    },
    clear() {
      cancel();
      changedAt = now();
      content.update(({ isPrivate }) => ({ ...EMPTY_DRAFT, isPrivate }));
    },
  };
};
