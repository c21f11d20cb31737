import type { Db } from "@parley/database";
import { type Addition, appends } from "./appends.ts";
import { batches, type Written, type WritingDeps } from "./batch.ts";
import { type Beginning, beginnings } from "./beginnings.ts";
import { type Change, revisions, revisionWith } from "./revisions.ts";

/** The way to the log: what waits together is committed together, in one statement a kind. */
export interface Writing {
  /** -> the message's JSON text; undefined when the conversation was no longer as given, and nothing was written. */
  append(addition: Addition): Promise<string | undefined>;
  /** -> undefined when the conversation was no longer as given, and nothing was written. */
  change(change: Change): Promise<Written | undefined>;
  /**
   * A change that is to come true together with other rows, which `more` writes in its transaction.
   * -> what `more` answered; undefined when the conversation was no longer as given, and nothing was written.
   */
  changeWith<T>(change: Change, more: (tx: Db, written: Written) => Promise<T>): Promise<T | undefined>;
  /** -> undefined when there is no such user, and nothing was written. */
  create(beginning: Beginning): Promise<Written | undefined>;
  close(): Promise<void>;
}

export const writing = (deps: WritingDeps): Writing => {
  const shared = batches(deps);
  const kinds = { append: appends(shared), change: revisions(shared), create: beginnings(shared) };
  return {
    append: (addition) => kinds.append.submit(addition),
    change: (change) => kinds.change.submit(change),
    changeWith: revisionWith(shared),
    create: (beginning) => kinds.create.submit(beginning),
    close: async () => {
      shared.close();
      await Promise.all(Object.values(kinds).map((kind) => kind.close()));
    },
  };
};
