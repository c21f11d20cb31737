import { isUuid } from "../http/uuid.ts";
import type { FilesOf } from "../messages/attachments.ts";
import type { Addresses } from "../objects/addresses.ts";
import type { FileBody } from "./files.ts";
import type { UploadStore } from "./store.ts";

export interface AttachmentDeps {
  readonly store: UploadStore;
  readonly addresses: Addresses;
  /** @units seconds */
  readonly addressSeconds: number;
  /** Of addresses that are kept: replies put that of their request in its place. */
  readonly origin: () => string;
}

/** Finds what was uploaded, for the parts of messages. */
export const attachments =
  ({ store, addresses, addressSeconds: seconds, origin }: AttachmentDeps): FilesOf =>
  async (accountId, hashes) => {
    const ids = new Set(hashes.filter(isUuid).map((hash) => hash.toLowerCase()));
    const rows = ids.size === 0 ? [] : await store.files(accountId, [...ids]);
    const byId = new Map(
      rows.map(({ id, object_key: key, body }) => {
        const { name, size, content_type: contentType } = JSON.parse(body) as FileBody;
        const url = addresses.sign({ key, contentType, fileName: name, seconds }, origin());
        return [id, { name, url, file_size_in_bytes: size, content_type: contentType }];
      }),
    );
    return new Map(
      hashes.flatMap((hash) => {
        const file = byId.get(hash.toLowerCase());
        return file ? [[hash, file] as const] : [];
      }),
    );
  };
