import type { Db } from "@parley/database";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { NotifyOwnChange } from "../../http/own-change.ts";
import type { Directory } from "../directory/directory.ts";
import { blankMessage, blankProperties, blankUser, createRedaction } from "./redact.ts";
import type { UserStore } from "./store.ts";

interface RemoveUserDeps {
  readonly users: Pick<UserStore, "remove">;
  readonly directory: Pick<Directory, "fields">;
  /** Erase personal data in the tables of all areas. */
  readonly erasers: () => readonly PersonalDataEraser[];
  readonly ports: Pick<Ports, "now">;
  /** Tells agents who have the console open that a user was deleted: no event says so. */
  readonly notifyOwnChange: NotifyOwnChange;
}

/**
 * Deletes a user with all personal data. `isRemovable` is asked while the user is locked.
 * @shape false: unknown user, or not removable
 */
export type RemoveUser = (
  accountId: number,
  id: string,
  isRemovable?: (tx: Db) => Promise<boolean>,
) => Promise<boolean>;

export const createRemoveUser =
  ({ users, directory, erasers, ports, notifyOwnChange }: RemoveUserDeps): RemoveUser =>
  async (accountId, id, isRemovable) => {
    const fields = await directory.fields(accountId);
    const blanks = {
      now: ports.now(),
      user: blankUser,
      redaction: createRedaction,
      message: blankMessage,
      properties: (text: string) => blankProperties(text, fields),
    };
    const isRemoved = await users.remove(accountId, id, blanks, { erasers: erasers(), isRemovable });
    if (isRemoved) notifyOwnChange(accountId, undefined, { kind: "deleted_user", user_id: id });
    return isRemoved;
  };
