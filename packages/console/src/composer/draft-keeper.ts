import type { Draft, MessagePart } from "@parley/contract";
import { createStore, type Store } from "../state/store.ts";

/** A reply or a note that the agent has begun to write. */
export interface DraftText {
  readonly text: string;
  /** Uploads that are attached. */
  readonly parts: readonly MessagePart[];
}

/** The content to send. */
export interface DraftContent extends DraftText {
  readonly isPrivate: boolean;
}

/** @units milliseconds */
export const DRAFT_RULES = {
  /** A draft is saved when nothing was typed for this long. */
  saveMs: 1_000,
  /** A draft that another device saved is not taken over while the agent types here. */
  typingMs: 4_000,
  /** Another tab that shows the same draft saves it, unless it was closed before. */
  otherTabMs: 3_000,
  /** Pause before a draft that could not be saved is saved again; doubles up to the maximum. */
  retryMs: 2_000,
  retryMaxMs: 60_000,
} as const;

const EMPTY_DRAFT: DraftText = { text: "", parts: [] };

export const isEmptyDraft = ({ text, parts }: DraftText): boolean => text === "" && parts.length === 0;

/** Addresses of uploads are signed anew whenever they are read. */
const identityOf = ({ file, image, video }: MessagePart): string =>
  file?.file_hash ?? (file?.url ?? image?.url ?? video?.url ?? "").split("?")[0] ?? "";

const isSameContent = (one: DraftText, other: DraftText): boolean =>
  one.text === other.text && JSON.stringify(one.parts.map(identityOf)) === JSON.stringify(other.parts.map(identityOf));

const joinedText = (own: string, other: string): string => {
  if (own.startsWith(other)) return own;
  return other.startsWith(own) ? other : `${own}\n\n${other}`;
};

/** -> both texts: that of this page first */
const joined = (own: DraftText, other: DraftText): DraftText => {
  const known = new Set(own.parts.map(identityOf));
  return {
    text: joinedText(own.text, other.text),
    parts: [...own.parts, ...other.parts.filter((part) => !known.has(identityOf(part)))],
  };
};

/** The copy of a draft that the browser keeps until the service has the draft. */
export interface UnsavedDraft {
  readonly content: DraftText;
  /** The service's draft that the content was made from, and its time; the time is empty if there was no draft. */
  readonly saved: DraftText;
  readonly savedTime: string;
}

type StoredDraft = Pick<Draft, "text" | "parts" | "updated_time">;

interface KeeperDeps {
  /**
   * Saves the content; a draft without content is deleted. @shape basedOn: time of the service's draft that it replaces, empty without such a
   * draft -> the time of the draft; empty if it was deleted @errors a conflict if the service has another draft
   */
  readonly save: (content: DraftText, basedOn: string) => Promise<string>;
  /** Reads the service's draft. */
  readonly read: () => Promise<StoredDraft | undefined>;
  readonly isConflict: (error: unknown) => boolean;
  /** Whether saving the same content again can succeed. */
  readonly isTemporary: (error: unknown) => boolean;
  /** Keeps the draft in the browser. @shape draft: undefined if the service has it */
  readonly keep: (draft: UnsavedDraft | undefined) => void;
  readonly now: () => number;
  /** Calls the function later. -> a function that prevents it @units milliseconds */
  readonly later: (run: () => void, delayMs: number) => () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Keeps the draft of one conversation's reply or note and saves it:
 * clean → changed → saving → clean; saving → changed, if it is changed meanwhile or the saving fails.
 *
 * A text replaces only the draft that it was made from: the service refuses the text if its draft was changed elsewhere meanwhile. If only one
 * of the two was changed, the changed text remains; if both were changed, they are joined, with the text of this page first.
 */
export interface DraftKeeper {
  readonly content: Store<DraftText>;
  /** Changes the draft, and saves it when nothing was changed for a while. */
  change(change: Partial<DraftText>): void;
  /** Takes over the service's draft, if nothing is being written here. @shape draft: undefined if the service has no draft */
  adopt(draft: StoredDraft | undefined): void;
  /** Goes on with what the browser has kept: of an earlier page, or of another tab that writes now. @shape draft: undefined if the other tab saved it */
  follow(draft: UnsavedDraft | undefined): void;
  /** Saves unsaved content now. */
  flush(): Promise<void>;
  /** Empties the draft, since it was sent. The service's draft stays until the message is confirmed: see `flush`. */
  clear(): void;
  /** Whether the service has another content. */
  isChanged(): boolean;
}

export const createDraftKeeper = (deps: KeeperDeps): DraftKeeper => {
  const { now, later } = deps;
  const content = createStore(EMPTY_DRAFT);
  /** The service's draft, as far as is known here, and its time. */
  let saved: DraftText = EMPTY_DRAFT;
  let savedTime = "";
  let changedAt = 0;
  /** Whether the content is that of another tab. */
  let isFollowing = false;
  let failures = 0;
  let cancel = (): void => undefined;
  let saving: Promise<void> | undefined;

  const isChanged = (): boolean => !isSameContent(content.get(), saved);
  const keep = (): void => deps.keep(isChanged() ? { content: content.get(), saved, savedTime } : undefined);

  const schedule = (delayMs: number): void => {
    cancel();
    cancel = later(() => void flush(), delayMs);
  };

  /** The service's draft is not the draft that the content was made from. */
  const reconcile = (stored: StoredDraft | undefined): void => {
    const { updated_time = "", ...other } = stored ?? (EMPTY_DRAFT as StoredDraft);
    const theirs: DraftText = { text: other.text, parts: other.parts };
    const isChangedThere = !isSameContent(theirs, saved);
    const own = content.get();
    if (isChangedThere && isChanged()) content.set(joined(own, theirs));
    saved = theirs;
    savedTime = updated_time;
    keep();
  };

  const save = async (next: DraftText): Promise<void> => {
    try {
      savedTime = await deps.save(next, savedTime);
      saved = next;
      failures = 0;
      keep();
    } catch (error) {
      if (deps.isConflict(error)) {
        reconcile(await deps.read());
        return schedule(0);
      }
      deps.onError(error);
      if (deps.isTemporary(error)) schedule(Math.min(DRAFT_RULES.retryMs * 2 ** failures++, DRAFT_RULES.retryMaxMs));
    }
  };

  const flush = async (): Promise<void> => {
    cancel();
    while (saving) await saving;
    if (!isChanged()) return keep();
    saving = save(content.get())
      .catch(deps.onError)
      .finally(() => (saving = undefined));
    await saving;
  };

  return {
    content,
    isChanged,
    flush,
    change(change) {
      changedAt = now();
      isFollowing = false;
      content.update((present) => ({ ...present, ...change }));
      keep();
      schedule(DRAFT_RULES.saveMs);
    },
    adopt(draft) {
      const isBusy = saving !== undefined || isChanged() || now() - changedAt < DRAFT_RULES.typingMs;
      const time = draft?.updated_time ?? "";
      if (isBusy || (draft && time <= savedTime)) return;
      savedTime = time;
      saved = draft ? { text: draft.text, parts: draft.parts } : EMPTY_DRAFT;
      if (isChanged()) content.set(saved);
    },
    follow(draft) {
      if (draft) {
        isFollowing = true;
        ({ saved, savedTime } = draft);
        content.set(draft.content);
        return schedule(DRAFT_RULES.otherTabMs);
      }
      // Text that was written here since then must still be saved.
      if (!isFollowing) return;
      isFollowing = false;
      cancel();
      saved = content.get();
    },
    clear() {
      cancel();
      changedAt = now();
      isFollowing = false;
      content.set(EMPTY_DRAFT);
      keep();
    },
  };
};
