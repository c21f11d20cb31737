import type { Message } from "@parley/contract";
import type { Db } from "@parley/database";
import type { BackgroundJobs, JobTasks } from "../../base/jobs/index.ts";
import { type AddressSigner, OBJECTS_PATH } from "../../base/objects/signed-addresses.ts";
import type { ObjectStore } from "../../base/objects/object-store.ts";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import { uploadKeyOf, thumbnailKeyOf, uploadIdOf, UPLOADS_PREFIX } from "./resign-urls.ts";
import { removeUploads } from "./store.ts";

interface UploadEraserDeps {
  readonly addresses: Pick<AddressSigner, "targetOf">;
  readonly objects: Pick<ObjectStore, "remove">;
  readonly jobs: Pick<BackgroundJobs, "schedule">;
  readonly now: () => Date;
}

/** Task name stored in the database; must not change. */
const TASK = "remove-uploads";

interface UploadRemoval {
  readonly account: number;
  readonly uploads: readonly string[];
}

/** Matches signed upload URLs anywhere in a JSON text, including within free text. The signature ends the URL. */
const SIGNED_UPLOAD_URLS = /\/objects\/uploads\/[^\s"\\]{1,3000}?[?&]signature=[\w-]{43}/g;

/** -> ids of the account's uploads to which a JSON text links; only validly signed URLs count */
const uploadsIn = (text: string, accountId: number, addresses: UploadEraserDeps["addresses"]): string[] => {
  if (!text.includes(OBJECTS_PATH + UPLOADS_PREFIX)) return [];
  return [...text.matchAll(SIGNED_UPLOAD_URLS)].flatMap(([address]) => {
    const target = addresses.targetOf(`http://any${address}`);
    return (target && uploadIdOf(accountId, target.key)) ?? [];
  });
};

const isByUser = (body: string): boolean => (JSON.parse(body) as Message).actor_type === "user";

/**
 * Erases the uploads of a deleted user: those linked in the user's messages and avatar. The rows are removed in the
 * deletion's transaction. The objects are removed by a background job committed with it, which survives the process.
 * @assumed Uploads have no recorded owner: one to which no message of the user links is kept.
 */
export const createUploadEraser = ({
  addresses,
  objects,
  jobs,
  now,
}: UploadEraserDeps): { eraser: PersonalDataEraser; tasks: JobTasks } => {
  const erase = async (tx: Db, accountId: number, bodies: readonly string[]): Promise<void> => {
    const uploads = [...new Set(bodies.flatMap((body) => uploadsIn(body, accountId, addresses)))];
    if (uploads.length === 0) return;
    await removeUploads(tx, accountId, uploads);
    await jobs.schedule(tx, {
      task: TASK,
      payload: { account: accountId, uploads } satisfies UploadRemoval,
      due: now(),
    });
  };
  return {
    eraser: {
      user: erase,
      messages: (tx, accountId, bodies) => erase(tx, accountId, bodies.filter(isByUser)),
    },
    tasks: {
      [TASK]: async (payload) => {
        const { account, uploads } = payload as UploadRemoval;
        for (const id of uploads)
          for (const key of [uploadKeyOf(account, id), thumbnailKeyOf(account, id)]) await objects.remove(key);
      },
    },
  };
};
