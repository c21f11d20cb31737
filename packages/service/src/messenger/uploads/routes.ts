import { LIMITS, messengerUploads, refuse, UPLOAD_QUOTA_EXCEEDED, type Upload, type User } from "@parley/contract";
import type { Pool } from "@parley/database";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import { defineRoutes, type HandlerContext } from "../../http/route-handlers.ts";
import type { Messaging } from "../../messaging/module.ts";
import { writingVisitor } from "../visitors/session-visitor.ts";
import { visitorUploadStore, type UploadDay } from "./store.ts";

interface VisitorUploadsDeps extends Pick<Messaging, "uploadImage" | "uploadFile"> {
  readonly pool: Pool;
  readonly now: () => Date;
}

type UploadContext = HandlerContext & { readonly upload: Upload };

/** Bytes that a request can have at most: those of the whole form, which its header states. */
const largestOf = ({ request }: UploadContext, limit: number): number => {
  const length = Number(request.header("content-length"));
  return length > 0 ? Math.min(length, limit) : limit;
};

/**
 * Uploads of visitors, through the same code as those of the API, within a quota by visitor and account. The largest possible size is counted before
 * anything is read, so that concurrent uploads can't exceed the quota together. Afterwards the rest is given back, and after a failure all of it.
 */
export const visitorUploadRoutes = ({ pool, now, uploadImage, uploadFile }: VisitorUploadsDeps) => {
  /** @errors VISITOR_BLOCKED, UPLOAD_QUOTA_EXCEEDED, and those of `store` */
  const withinQuota = async <C extends UploadContext, T>(
    context: C,
    limit: number,
    store: (context: C) => Promise<T>,
  ): Promise<T> => {
    const { userId } = writingVisitor(context.caller);
    const day: UploadDay = { accountId: context.caller.account.id, userId, day: now().toISOString().slice(0, 10) };
    const counted = largestOf(context, limit);
    await pool.transaction(async (tx) => {
      if (!(await visitorUploadStore.take(tx, day, counted))) refuse(UPLOAD_QUOTA_EXCEEDED);
    });
    let bytes = 0;
    const { name, content_type, content } = context.upload;
    async function* measured() {
      for await (const chunk of content) {
        bytes += chunk.length;
        yield chunk;
      }
    }
    const settle = (used: number) => visitorUploadStore.giveBack(pool, day, Math.max(0, counted - used));
    try {
      const stored = await store({ ...context, upload: { name, content_type, content: measured() } });
      // The upload is stored: what can't be given back stays counted until the end of the day.
      await settle(bytes).catch(() => undefined);
      return stored;
    } catch (error) {
      await settle(0).catch(() => undefined);
      throw error;
    }
  };

  return defineRoutes(messengerUploads, {
    uploadVisitorImage: (context) => withinQuota(context, LIMITS.image_bytes, uploadImage),
    uploadVisitorFile: (context) => withinQuota(context, LIMITS.file_bytes, uploadFile),
  });
};

/** Erases the counts of deleted users. */
export const visitorUploadEraser: PersonalDataEraser = {
  user: async (tx, accountId, bodies) => {
    const ids = bodies.slice(0, 1).map((body) => (JSON.parse(body) as User).id);
    await visitorUploadStore.erase(tx, accountId, ids);
  },
};
