import { createHash, hash } from "node:crypto";
import type { Upload } from "@parley/contract";

/** What tells one request from another, read as far as its body is. */
export interface Seal {
  /** -> SHA-256 in hex, of what was read. */
  readonly now: () => string;
  /** The same, after all that is unread. */
  readonly whole: () => Promise<string>;
}

/** What a request asks for besides its body. */
export interface Head {
  readonly route: string;
  readonly params: unknown;
  readonly query: unknown;
}

/** JSON has no line feed: where the head ends is certain. */
const textOf = ({ route, params, query }: Head): string => `${JSON.stringify([route, params, query])}\n`;

const NOTHING = new Uint8Array();

/** The seal of a request whose body is here, byte for byte as it was sent. */
export const sealOf = (head: Head, body: Uint8Array | undefined): Seal => {
  let hex: string | undefined;
  // At one go: that is much quicker than to begin and to go on.
  const now = () => (hex ??= hash("sha256", Buffer.concat([Buffer.from(textOf(head)), body ?? NOTHING]), "hex"));
  return { now, whole: () => Promise.resolve(now()) };
};

/** The seal of an upload: of what the form says of the file, and of its content as it passes. */
export const sealing = (head: Head, upload: Upload): { readonly seal: Seal; readonly upload: Upload } => {
  const { name, content_type } = upload;
  const running = createHash("sha256").update(`${textOf(head)}${JSON.stringify([name, content_type])}\n`);
  let hex: string | undefined;
  async function* passing() {
    for await (const chunk of upload.content) {
      running.update(chunk);
      yield chunk;
    }
  }
  const content = passing();
  const now = () => (hex ??= running.digest("hex"));
  return {
    seal: {
      now,
      async whole() {
        for await (const _ of content);
        return now();
      },
    },
    upload: { name, content_type, content },
  };
};
