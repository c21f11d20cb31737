import { isUuid } from "../../http/uuid.ts";
import type { ObjectOwner } from "../../base/objects/orphans.ts";
import { THUMBNAIL, UPLOADS_PREFIX } from "./resign-urls.ts";
import { presentUploadIds, presentUploadKeys } from "./store.ts";

/** -> the upload whose object or thumbnail the key names; undefined for other keys */
const uploadOf = (key: string): { readonly id: string; readonly imageKey: string } | undefined => {
  const imageKey = key.endsWith(THUMBNAIL) ? key.slice(0, -THUMBNAIL.length) : key;
  const [, id = ""] = /^\d+\/(.+)$/.exec(imageKey.slice(UPLOADS_PREFIX.length)) ?? [];
  return key.startsWith(UPLOADS_PREFIX) && isUuid(id) ? { id: id.toLowerCase(), imageKey } : undefined;
};

/** Uploads refer to their object and its thumbnail. */
export const uploadObjectOwner: ObjectOwner = {
  owns: (key) => uploadOf(key) !== undefined,
  async unreferenced(tx, keys) {
    const found = keys.flatMap((key) => {
      const upload = uploadOf(key);
      return upload ? [{ key, ...upload }] : [];
    });
    const ids = await presentUploadIds(
      tx,
      found.map(({ id }) => id),
    );
    const candidates = found.filter(({ id }) => !ids.has(id));
    if (candidates.length === 0) return [];
    const imageKeys = await presentUploadKeys(
      tx,
      candidates.map(({ imageKey }) => imageKey),
    );
    return candidates.filter(({ imageKey }) => !imageKeys.has(imageKey)).map(({ key }) => key);
  },
};
