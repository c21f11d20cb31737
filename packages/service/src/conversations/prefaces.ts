import type { Account } from "../http/slice.ts";
import { isKept, type Claim } from "../idempotency/claim.ts";
import type { Answered } from "./answered.ts";
import type { Draft, Drafts } from "./draft.ts";
import type { ConversationRow } from "./store.ts";
import type { Writing } from "./writing.ts";

export interface PrefaceDeps {
  readonly answered: Answered;
  readonly drafts: Pick<Drafts, "ofTemplate">;
  readonly writing: Pick<Writing, "append">;
}

/** Template messages that go before a user's message, each once: its id is that of the message, which the table takes only once. */
export interface Prefaces {
  /** -> none for anybody but a user. */
  of(account: Account, writer: Pick<Draft, "actor_type" | "actor_id">): Promise<readonly Draft[]>;
  /** Adds a message after its prefaces. -> its JSON text; undefined when the conversation was no longer as given */
  append(
    conversation: ConversationRow,
    first: readonly Draft[],
    draft: Draft,
    claim: Claim | undefined,
  ): Promise<string | undefined>;
  /** They stand in their conversation. */
  done(first: readonly Draft[]): Promise<void>;
}

const NONE: readonly Draft[] = [];
const UNIQUE_VIOLATION = "23505";

/** Somebody put the same preface in at the same time: who reads again finds it done. By the code: `instanceof` fails between realms. */
export const isThere = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === UNIQUE_VIOLATION && !isKept(error);

export const prefaces = ({ answered, drafts, writing }: PrefaceDeps): Prefaces => {
  const done = async (first: readonly Draft[]) => {
    const ids = first.map(({ id }) => id).filter((id) => id !== undefined);
    if (ids.length > 0) await answered.done(ids);
  };
  return {
    async of(account, { actor_type, actor_id }) {
      if (actor_type !== "user" || actor_id === null) return NONE;
      const waiting = await answered.waiting(account.id, actor_id);
      return waiting.length === 0 ? NONE : waiting.map((message) => drafts.ofTemplate(account, message));
    },
    async append(conversation, first, draft, claim) {
      if (first.length === 0) return writing.append({ conversation, draft, claim });
      await claim?.look();
      // What is submitted in one go keeps its order.
      const put = first.map((preface) =>
        writing.append({ conversation, draft: preface }).then((text) => text !== undefined, isThere),
      );
      const [text, ...isPut] = await Promise.all([writing.append({ conversation, draft, claim }), ...put]);
      await done(first.filter((_, index) => isPut[index]));
      return text;
    },
    done,
  };
};
