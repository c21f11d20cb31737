import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { PlainReply } from "../../plain-http.ts";

export interface FormPart {
  /** All parameters of the Content-Disposition header, as they are sent. */
  readonly disposition: string;
  readonly type?: string;
  readonly content: string | Uint8Array;
}

const BOUNDARY = "----parley-test";
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Builds a form byte by byte; `end` replaces the last delimiter. */
export const formOf = (parts: readonly FormPart[], end = `--${BOUNDARY}--\r\n`): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ disposition, type, content }) => [
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n` +
          `${type === undefined ? "" : `Content-Type: ${type}\r\n`}\r\n`,
      ),
      Buffer.from(content),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(end),
  ]);

export const filePart = (
  content: string | Uint8Array,
  { part = "file", name = "a.txt", type = "text/plain" }: { part?: string; name?: string; type?: string } = {},
): FormPart => ({ disposition: `name="${part}"; filename="${name}"`, type, content });

/** Builds a form as clients do. */
export const clientForm = (part: string, content: string | Uint8Array, type: string, name: string): FormData => {
  const form = new FormData();
  form.set(part, new Blob([typeof content === "string" ? content : new Uint8Array(content)], { type }), name);
  return form;
};

/** All files of a folder, including hidden ones; the folder is read again if a subfolder was removed meanwhile. */
export const objectsIn = async (folder: string): Promise<string[]> => {
  try {
    return (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => !entry.isDirectory() || entry.name.startsWith("."))
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && existsSync(folder)) return objectsIn(folder);
    throw error;
  }
};

/** -> `{status, token, message}` of a refusal in the common format */
export const uploadRefusal = ({ status, text }: PlainReply) => {
  const body = JSON.parse(text) as { code: number; status: string; message: string };
  return { code: status, bodyCode: body.code, token: body.status, message: body.message };
};
