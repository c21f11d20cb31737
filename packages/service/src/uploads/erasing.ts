import type { Message } from "@parley/contract";
import type { Db } from "@parley/database";
import type { Jobs, Tasks } from "../jobs/index.ts";
import type { Addresses } from "../objects/addresses.ts";
import { OBJECTS_PATH } from "../objects/addresses.ts";
import type { ObjectStore } from "../objects/objects.ts";
import type { Eraser } from "../users/db/removal.ts";
import { keyOf, thumbnailKeyOf, uploadIdOf, UPLOADS_PREFIX } from "./keys.ts";
import { removeUploads } from "./store.ts";

export interface ErasingDeps {
  readonly addresses: Pick<Addresses, "targetOf">;
  readonly objects: Pick<ObjectStore, "remove">;
  readonly jobs: Pick<Jobs, "later">;
  readonly now: () => Date;
}

/** The name stands in the database: it keeps its meaning. */
const TASK = "remove-uploads";

interface Removal {
  readonly account: number;
  readonly uploads: readonly string[];
}

/** Wherever an address stands in a JSON text, also in the midst of what somebody wrote; its signature is its end. */
const ADDRESSES = /\/objects\/uploads\/[^\s"\\]{1,3000}?[?&]signature=[\w-]{43}/g;

/** -> ids of the account's uploads that a JSON text leads to; only addresses that were signed count */
export const uploadsIn = (text: string, accountId: number, addresses: ErasingDeps["addresses"]): string[] => {
  if (!text.includes(OBJECTS_PATH + UPLOADS_PREFIX)) return [];
  return [...text.matchAll(ADDRESSES)].flatMap(([address]) => {
    const target = addresses.targetOf(`http://any${address}`);
    return (target && uploadIdOf(accountId, target.key)) ?? [];
  });
};

const isByUser = (body: string): boolean => (JSON.parse(body) as Message).actor_type === "user";

/**
 * Takes away what a deleted user uploaded: the uploads that the user's own messages and the user's avatar lead to. The rows go with the
 * user, in one transaction; the objects after it, by work that is asked for in that transaction and so outlives the process.
 * @assumed Nobody knows who an upload is of: one that no message of the user leads to stays.
 */
export const erasing = ({ addresses, objects, jobs, now }: ErasingDeps): { eraser: Eraser; tasks: Tasks } => {
  const erase = async (tx: Db, accountId: number, bodies: readonly string[]): Promise<void> => {
    const uploads = [...new Set(bodies.flatMap((body) => uploadsIn(body, accountId, addresses)))];
    if (uploads.length === 0) return;
    await removeUploads(tx, accountId, uploads);
    await jobs.later(tx, { task: TASK, payload: { account: accountId, uploads } satisfies Removal, due: now() });
  };
  return {
    eraser: {
      user: erase,
      messages: (tx, accountId, bodies) => erase(tx, accountId, bodies.filter(isByUser)),
    },
    tasks: {
      [TASK]: async (payload) => {
        const { account, uploads } = payload as Removal;
        for (const id of uploads)
          for (const key of [keyOf(account, id), thumbnailKeyOf(account, id)]) await objects.remove(key);
      },
    },
  };
};
