import { files } from "@parley/contract";
import type { Db } from "@parley/database";
import { slice } from "../http/slice.ts";
import type { UploadDeps } from "./deps.ts";
import { fileNameOf, mediaTypeOf } from "./file-name.ts";
import { keeping } from "./keeping.ts";
import { keyOf } from "./keys.ts";

/** What is kept of a file besides its object. */
export interface FileBody {
  readonly name: string;
  readonly size: number;
  readonly content_type: string;
}

/** @assumed file_hash is the id of the upload: it says nothing of the content, and two files are never taken for one. */
export const fileSlice = ({ objects, addresses, store, ports, addressSeconds: seconds }: UploadDeps) => {
  const keep = keeping({ objects, store });
  return slice(files, {
    async uploadFile({ upload, caller, request, claim }) {
      const [id, accountId] = [ports.newId(), caller.account.id];
      const key = keyOf(accountId, id);
      const said = { name: fileNameOf(upload.name), content_type: mediaTypeOf(upload.content_type) };
      const rowOf = ([bytes = 0]: readonly number[]) => ({
        id,
        account_id: accountId,
        kind: "file" as const,
        created_time: ports.now(),
        object_key: key,
        body: JSON.stringify({ ...said, size: bytes } satisfies FileBody),
        answer: {
          file_name: said.name,
          file_size: bytes,
          file_content_type: said.content_type,
          file_hash: id,
          url: addresses.sign({ key, contentType: said.content_type, fileName: said.name, seconds }, request.origin),
        },
      });
      const more = claim && ((tx: Db, row: ReturnType<typeof rowOf>) => claim.keep(tx, row.answer, id));
      return (await keep([{ key, bytes: upload.content }], rowOf, more)).answer;
    },
  });
};
