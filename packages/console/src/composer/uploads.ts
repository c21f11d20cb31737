import { isNoAnswerError, isProblemError } from "@parley/client/session";
import type { File as UploadedFile, MessagePart } from "@parley/contract";
import { VALUES } from "../contract-values.ts";
import { formatSize } from "../i18n/format.ts";
import { client } from "../session/session.ts";
import { createStore, type Store } from "../state/store.ts";
import { errorText } from "../ui/error-text.ts";
import { composerMessages as texts } from "./messages.ts";

/** uploading → uploaded → attached (it leaves the list); uploading → failed | refused; failed → uploading, by the agent. */
interface ComposerUpload {
  readonly id: number;
  readonly file: File;
  /** Why it failed or was refused. */
  readonly error?: string;
  /** It is too large, empty or otherwise not accepted: uploading it again would not help. */
  readonly isRefused?: boolean;
  /** The uploaded part, while a file that was chosen before is still uploading. */
  readonly part?: MessagePart;
}

export interface Uploads {
  readonly list: Store<readonly ComposerUpload[]>;
  readonly add: (files: readonly File[]) => void;
  readonly retry: (id: number) => void;
  /** Ends an upload, or removes a failed upload. */
  readonly remove: (id: number) => void;
}

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const { image_bytes: imageBytes, file_bytes: fileBytes } = VALUES.limits;

type FilePart = (file: UploadedFile) => MessagePart;

/** -> the part of a message that is sent: the service adds the address of the file */
const sentPart: FilePart = ({ file_hash, file_name, file_size, file_content_type }) => ({
  file: { file_hash, name: file_name, file_size_in_bytes: file_size, content_type: file_content_type },
});

const uploadFile = async (file: File, signal: AbortSignal, partOf: FilePart): Promise<MessagePart> => {
  const content_type = file.type || "application/octet-stream";
  const upload = { name: file.name, content_type, content: file };
  return partOf(await client.files.uploadFile({ upload, signal }));
};

/** Uploads a picture as a picture. A file that turns out not to be a picture, or that is too large for a picture, is uploaded as a file. */
const upload = async (file: File, signal: AbortSignal, partOf: FilePart): Promise<MessagePart> => {
  if (!IMAGE_TYPES.includes(file.type) || file.size > imageBytes) return uploadFile(file, signal, partOf);
  try {
    const content = { name: file.name, content_type: file.type, content: file };
    const { url } = await client.images.uploadImage({ upload: content, signal });
    return { image: { url } };
  } catch (error) {
    if (isProblemError(error, "NOT_AN_IMAGE", "IMAGE_TOO_LARGE")) return uploadFile(file, signal, partOf);
    throw error;
  }
};

/** Statuses after which the same upload can succeed. */
const TEMPORARY = [408, 429];
const isRefusal = (error: unknown): boolean =>
  isProblemError(error) && error.problem.code < 500 && !TEMPORARY.includes(error.problem.code);

const refusalOf = ({ size, name }: File): string | undefined => {
  if (size > fileBytes) return texts.tooLarge(name, formatSize(fileBytes));
  return size === 0 ? texts.emptyFile(name) : undefined;
};

let lastId = 0;

/**
 * Uploads files for a message.
 * @shape onAttached: called with the part of each file that was uploaded, in the order in which they were chosen; partOf: -> the part of a file that
 * is not a picture
 */
export const createComposerUploads = (
  onAttached: (part: MessagePart) => void,
  partOf: FilePart = sentPart,
): Uploads => {
  const list = createStore<readonly ComposerUpload[]>([]);
  const aborts = new Map<number, AbortController>();
  const drop = (id: number): void => list.update((all) => all.filter((each) => each.id !== id));
  const note = (id: number, result: Pick<ComposerUpload, "error" | "isRefused" | "part">): void =>
    list.update((all) => all.map((each) => (each.id === id ? { ...each, ...result } : each)));
  /** Attaches uploaded files, up to the first file that is still uploading. A failed file does not hold up the others. */
  const attachUploaded = (): void => {
    const all = list.get();
    const firstUploading = all.findIndex(({ error, part }) => error === undefined && part === undefined);
    for (const { id, part } of firstUploading === -1 ? all : all.slice(0, firstUploading)) {
      if (part === undefined) continue;
      drop(id);
      onAttached(part);
    }
  };

  const start = async ({ id, file }: ComposerUpload): Promise<void> => {
    const refusal = refusalOf(file);
    if (refusal !== undefined) return note(id, { error: refusal, isRefused: true });
    const abort = new AbortController();
    aborts.set(id, abort);
    try {
      const part = await upload(file, abort.signal, partOf);
      if (!abort.signal.aborted) note(id, { part });
    } catch (error) {
      if (abort.signal.aborted) return;
      note(id, {
        error: isNoAnswerError(error) ? texts.uploadFailed(file.name) : errorText(error),
        isRefused: isRefusal(error),
      });
    } finally {
      aborts.delete(id);
      attachUploaded();
    }
  };

  return {
    list,
    add(files) {
      const added = files.map((file): ComposerUpload => ({ id: ++lastId, file }));
      list.update((all) => [...all, ...added]);
      for (const each of added) void start(each);
    },
    retry(id) {
      const found = list.get().find((each) => each.id === id);
      if (!found) return;
      const again: ComposerUpload = { id, file: found.file };
      list.update((all) => all.map((each) => (each.id === id ? again : each)));
      void start(again);
    },
    remove(id) {
      aborts.get(id)?.abort();
      drop(id);
    },
  };
};
