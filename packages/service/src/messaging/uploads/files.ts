import { isUuid } from "../../http/uuid.ts";
import type { FilesOf } from "../conversations/compose-message.ts";
import type { AddressSigner } from "../../base/objects/signed-addresses.ts";
import type { UploadStore } from "./store.ts";
import { files } from "@parley/contract";
import type { Db } from "@parley/database";
import { defineRoutes, type RouteHandler } from "../../http/route-handlers.ts";
import { type UploadDeps, createSaveUpload } from "./save-upload.ts";
import { uploadKeyOf } from "./resign-urls.ts";

interface AttachmentDeps {
  readonly store: UploadStore;
  readonly addresses: AddressSigner;
  /** @units seconds */
  readonly addressSeconds: number;
  /** Origin of stored URLs; replies substitute that of their request. */
  readonly origin: () => string;
}

/** Looks up uploaded files for message parts. */
export const createFilesOf =
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

/** Common limit of file systems. @units characters */
const FILE_NAME_LENGTH_MAX = 255;

/**
 * Derives a safe file name: the last path segment, without invisible or misleading characters.
 * @assumed An empty name becomes `file`; a name that is too long is cut before its extension.
 */
const fileNameOf = (declared: string): string => {
  const last = Buffer.from(declared).toString().split(/[\\/]/).at(-1) ?? "";
  // Control characters, and direction overrides that could disguise an extension: `gpj.exe` must not appear as
  // `exe.jpg`.
  const visible = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, "").trim();
  const name = /^\.*$/.test(visible) ? "file" : visible;
  if (name.length <= FILE_NAME_LENGTH_MAX) return name;
  const ending = /\.[^.]{1,20}$/.exec(name)?.[0] ?? "";
  return Buffer.from(name.slice(0, FILE_NAME_LENGTH_MAX - ending.length) + ending)
    .toString()
    .replaceAll("\ufffd", "");
};

/** @assumed An invalid media type becomes `application/octet-stream`. */
const mediaTypeOf = (declared: string): string =>
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(declared) ? declared.toLowerCase() : "application/octet-stream";

/** Stored description of a file. */
interface FileBody {
  readonly name: string;
  readonly size: number;
  readonly content_type: string;
}

/** Stores a file. */
export type UploadFile = RouteHandler<typeof files.uploadFile>;

/**
 * @assumed file_hash is the id of the upload: it reveals nothing of the content, and equal contents stay separate files.
 */
export const createUploadFile = ({
  objects,
  addresses,
  store,
  ports,
  addressSeconds: seconds,
}: UploadDeps): UploadFile => {
  const saveUpload = createSaveUpload({ objects, store });
  return async ({ upload, caller, request, claim }) => {
    const [id, accountId] = [ports.newId(), caller.account.id];
    const key = uploadKeyOf(accountId, id);
    const declared = { name: fileNameOf(upload.name), content_type: mediaTypeOf(upload.content_type) };
    const rowOf = ([bytes = 0]: readonly number[]) => ({
      id,
      account_id: accountId,
      kind: "file" as const,
      created_time: ports.now(),
      object_key: key,
      body: JSON.stringify({ ...declared, size: bytes } satisfies FileBody),
      answer: {
        file_name: declared.name,
        file_size: bytes,
        file_content_type: declared.content_type,
        file_hash: id,
        url: addresses.sign(
          { key, contentType: declared.content_type, fileName: declared.name, seconds },
          request.origin,
        ),
      },
    });
    const more = claim && ((tx: Db, row: ReturnType<typeof rowOf>) => claim.recordReply(tx, row.answer, id));
    return (await saveUpload([{ key, bytes: upload.content }], rowOf, more)).answer;
  };
};

export const fileRoutes = (uploadFile: UploadFile) => defineRoutes(files, { uploadFile });
