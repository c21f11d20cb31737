import type { Account } from "../http/slice.ts";
import type { Written } from "./batch.ts";
import type { Beginning } from "./beginnings.ts";
import type { Draft } from "./draft.ts";
import { isThere, type Prefaces } from "./prefaces.ts";
import type { Writing } from "./writing.ts";

export interface OpeningDeps {
  readonly prefaces: Pick<Prefaces, "of" | "done">;
  readonly writing: Pick<Writing, "create">;
}

/** After so many lost races the conversation begins without prefaces: whoever won has put them elsewhere. */
const TRIES = 4;

/**
 * Writes a conversation, before its first messages the template messages that `writer`, its user, answers.
 * -> the messages that were asked for only; undefined when there is no such user
 */
export const opening =
  ({ prefaces, writing }: OpeningDeps) =>
  async (account: Account, beginning: Beginning, writer: Draft | undefined): Promise<Written | undefined> => {
    const { drafts, answer } = beginning;
    for (let tries = 0; ; tries++) {
      const first = writer && tries < TRIES ? await prefaces.of(account, writer) : [];
      const askedFor = (written: Written) => ({ ...written, texts: written.texts.slice(first.length) });
      try {
        const written = await writing.create({
          ...beginning,
          drafts: [...first, ...drafts],
          answer: answer && { ...answer, textOf: (whole) => answer.textOf(askedFor(whole)) },
        });
        if (written) await prefaces.done(first);
        return written && askedFor(written);
      } catch (error) {
        if (first.length === 0 || !isThere(error)) throw error;
      }
    }
  };
