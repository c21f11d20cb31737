import type { File as UploadedFile, Image, MessagePart } from "@parley/contract";
import { WIRE } from "../contract-values.ts";
import { routeOf } from "./api-client.ts";
import { isRefusedWith, noReply, refusalOf } from "./request-error.ts";

interface UploadDeps {
  readonly token: string;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
}

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Whether a file is uploaded as a picture. */
export const isPicture = ({ type, size }: File, imageBytes: number): boolean =>
  IMAGE_TYPES.includes(type) && size <= imageBytes;

/** Sends by XMLHttpRequest, because `fetch` does not report progress. @errors RequestError */
const send = (operation: string, part: string, file: File, deps: UploadDeps): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const [method, path] = routeOf(operation);
    const form = new FormData();
    form.set(part, file, file.name);
    const abort = (): void => request.abort();
    const fail = (): void => reject(noReply());
    deps.signal.addEventListener("abort", abort);
    request.upload.onprogress = ({ loaded }) => deps.onProgress(Math.min(loaded, file.size));
    request.onerror = fail;
    request.onabort = fail;
    request.onload = () => {
      const { status, responseText } = request;
      if (status < 200 || status > 299)
        reject(refusalOf(status, responseText, request.getResponseHeader("retry-after")));
      else resolve(JSON.parse(responseText));
    };
    request.onloadend = () => deps.signal.removeEventListener("abort", abort);
    request.open(method, path);
    request.setRequestHeader("authorization", `Bearer ${deps.token}`);
    request.setRequestHeader(WIRE.idempotencyKey, deps.idempotencyKey);
    request.send(form);
  });

/** Uploads a file. One of a type that browsers play is sent as a video. */
const uploadFile = async (file: File, deps: UploadDeps): Promise<MessagePart> => {
  const key = `${deps.idempotencyKey}-file`;
  const { file_hash, file_content_type, url } = (await send("uploadVisitorFile", "file", file, {
    ...deps,
    idempotencyKey: key,
  })) as UploadedFile;
  return WIRE.videoTypes.includes(file_content_type)
    ? { video: { url, content_type: file_content_type } }
    : { file: { file_hash } };
};

/**
 * Uploads a picture as a picture. A file that turns out not to be a picture, or that is too large for a picture, is uploaded as a file.
 * -> the part of a message @errors RequestError
 */
export const upload = async (file: File, imageBytes: number, deps: UploadDeps): Promise<MessagePart> => {
  if (!isPicture(file, imageBytes)) return uploadFile(file, deps);
  try {
    const key = `${deps.idempotencyKey}-image`;
    const { url } = (await send("uploadVisitorImage", "image", file, { ...deps, idempotencyKey: key })) as Image;
    return { image: { url } };
  } catch (error) {
    if (isRefusedWith(error, "NOT_AN_IMAGE", "IMAGE_TOO_LARGE")) return uploadFile(file, deps);
    throw error;
  }
};
