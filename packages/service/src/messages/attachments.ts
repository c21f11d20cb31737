import { INVALID_MESSAGE_PARTS, type MessagePart, refuse } from "@parley/contract";

type FilePart = NonNullable<MessagePart["file"]>;

/** -> the account's uploaded files by file_hash, in the form of message parts; unknown hashes are missing */
export type FilesOf = (accountId: number, hashes: readonly string[]) => Promise<ReadonlyMap<string, FilePart>>;

interface MessageWithParts {
  readonly message_parts?: MessagePart[] | undefined;
}

/** Whether any part refers to an upload. */
export const hasHash = ({ message_parts = [] }: MessageWithParts): boolean =>
  message_parts.some(({ file }) => file?.file_hash !== undefined);

/**
 * Replaces each file part that has a file_hash by the uploaded file. Other members of such a part are ignored.
 * @errors INVALID_MESSAGE_PARTS for a hash that names no file of the account
 */
export const attach = async <T extends MessageWithParts>(filesOf: FilesOf, accountId: number, input: T): Promise<T> => {
  const { message_parts: parts = [] } = input;
  const files = await filesOf(
    accountId,
    parts.flatMap(({ file }) => file?.file_hash ?? []),
  );
  const message_parts = parts.map((part, index): MessagePart => {
    const hash = part.file?.file_hash;
    if (hash === undefined) return part;
    const file = files.get(hash);
    return file
      ? { file }
      : refuse(INVALID_MESSAGE_PARTS, `message_parts[${index}].file.file_hash names no uploaded file of this account.`);
  });
  return { ...input, message_parts };
};
