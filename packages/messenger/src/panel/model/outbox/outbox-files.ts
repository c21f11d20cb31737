import type { MessagePart } from "@parley/contract";
import type { FailureName } from "../../texts/failure-texts.ts";
import { isPicture, upload } from "../api/upload.ts";
import type { OutboxEntry } from "./outbox-entry.ts";

interface UploadProgress {
  readonly sentBytes: number;
  /** Address of a preview in this browser. */
  readonly previewUrl?: string;
}

/** Contents of the files that are to be sent. They exist in this page only. */
export interface OutboxFiles {
  readonly add: (entryId: string, file: File) => NonNullable<OutboxEntry["file"]>;
  /** -> why a file can't be sent */
  readonly refusalOf: (entryId: string) => FailureName | undefined;
  readonly progress: (entryId: string) => UploadProgress | undefined;
  /** -> the part of the message @errors RequestError */
  readonly upload: (entryId: string, token: string, onProgress: () => void) => Promise<MessagePart>;
  /** Ends its upload. */
  readonly remove: (entryId: string) => void;
  readonly clear: () => void;
}

interface ChosenFile extends UploadProgress {
  readonly file: File;
  readonly abort: AbortController;
}

/** @units bytes */
interface FileLimits {
  readonly file_bytes: number;
  readonly image_bytes: number;
}

/** @shape limits: -> those of the configuration */
export const createOutboxFiles = (limits: () => FileLimits): OutboxFiles => {
  const chosen = new Map<string, ChosenFile>();
  const remove = (id: string): void => {
    const found = chosen.get(id);
    chosen.delete(id);
    found?.abort.abort();
    if (found?.previewUrl !== undefined) URL.revokeObjectURL(found.previewUrl);
  };
  return {
    add(id, file) {
      const isImage = isPicture(file, limits().image_bytes);
      const previewUrl = isImage ? URL.createObjectURL(file) : undefined;
      chosen.set(id, { file, abort: new AbortController(), sentBytes: 0, ...(previewUrl && { previewUrl }) });
      return { name: file.name, bytes: file.size, isImage };
    },
    refusalOf(id) {
      const { file } = chosen.get(id) ?? {};
      const { file_bytes } = limits();
      if (!file) return "fileLost";
      if (file.size > file_bytes) return "fileTooLarge";
      return file.size === 0 ? "fileEmpty" : undefined;
    },
    progress: (id) => {
      const { sentBytes, previewUrl } = chosen.get(id) ?? {};
      return sentBytes === undefined ? undefined : { sentBytes, ...(previewUrl !== undefined && { previewUrl }) };
    },
    async upload(id, token, onProgress) {
      const found = chosen.get(id);
      if (!found) throw new Error("The file was removed.");
      return upload(found.file, limits().image_bytes, {
        token,
        idempotencyKey: id,
        signal: found.abort.signal,
        onProgress(sentBytes) {
          const now = chosen.get(id);
          if (now) chosen.set(id, { ...now, sentBytes });
          onProgress();
        },
      });
    },
    remove,
    clear: () => [...chosen.keys()].forEach(remove),
  };
};
