import { statement, type Pool } from "@parley/database";
import { eraseMessages, eraseProperties, reviseForErasure } from "../conversations/erase.sql.ts";
import { eraseCsatFeedback } from "../csat/store.ts";
import { eraseChanges } from "../log/store.ts";
import type { PersonalDataEraser } from "../personal-data/eraser.ts";

/** Replacements of personal data. JSON texts, both ways; undefined: unchanged. */
interface Blanks<R> {
  readonly now: Date;
  readonly user: (body: string) => string;
  /** Builds the redaction from the JSON texts of all revisions. */
  readonly redaction: (bodies: readonly string[]) => R;
  readonly message: (body: string, redaction: R) => string | undefined;
  readonly properties: (text: string) => string | undefined;
}

const LOCK = statement(
  "lock_user_for_removal",
  `select body from users where account_id = $1 and id = $2 and deleted_time is null for update`,
);
const BLANK_USER = statement(
  "blank_user",
  `update users
      set deleted_time = $2, body = $3, first_name = null, last_name = null, email = null, phone = null, reference_id = null
    where id = $1`,
);
const DELETE_REVISIONS = statement(
  "delete_user_revisions",
  `delete from user_revisions where user_id = $1 returning body`,
);

export const removalStore = (pool: Pool) => ({
  /** Irreversibly removes all personal data. -> false for an unknown user */
  remove: <R>(
    accountId: number,
    id: string,
    blanks: Blanks<R>,
    erasers: readonly PersonalDataEraser[],
  ): Promise<boolean> =>
    pool.transaction(async (tx) => {
      const found = await tx.one<{ body: string }>(LOCK, [accountId, id]);
      if (!found) return false;
      await tx.rows(BLANK_USER, [id, blanks.now, blanks.user(found.body)]);
      const before = await tx.rows<{ body: string }>(DELETE_REVISIONS, [id]);
      await eraseChanges(tx, id);
      await reviseForErasure(tx, id);
      const bodies = [found.body, ...before.map(({ body }) => body)];
      const redaction = blanks.redaction(bodies);
      for (const eraser of erasers) await eraser.user?.(tx, accountId, bodies);
      await eraseMessages(
        tx,
        id,
        (body) => blanks.message(body, redaction),
        async (batch) => {
          for (const eraser of erasers) await eraser.messages?.(tx, accountId, batch);
        },
      );
      await eraseProperties(tx, id, blanks.properties);
      await eraseCsatFeedback(tx, id);
      return true;
    }),
});
