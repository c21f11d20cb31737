import type { Db } from "@parley/database";

/** Erases personal data of a module in the transaction that deletes a user. */
export interface PersonalDataEraser {
  /** @shape bodies: the user's JSON texts, of all revisions */
  readonly user?: (tx: Db, accountId: number, bodies: readonly string[]) => Promise<void>;
  /** Called for each batch before it is blanked. @shape bodies: JSON texts of all messages in the user's conversations */
  readonly messages?: (tx: Db, accountId: number, bodies: readonly string[]) => Promise<void>;
}
