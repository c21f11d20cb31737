import { INVALID_MESSAGE_PARTS, type MessagePart, refuse } from "@parley/contract";

type FilePart = NonNullable<MessagePart["file"]>;

/** -> the account's files by their file_hash, as parts tell of them; without those that it doesn't have */
export type FilesOf = (accountId: number, hashes: readonly string[]) => Promise<ReadonlyMap<string, FilePart>>;

interface Given {
  readonly message_parts?: MessagePart[] | undefined;
}

/** Whether there is something to attach. */
export const hasHash = ({ message_parts = [] }: Given): boolean =>
  message_parts.some(({ file }) => file?.file_hash !== undefined);

/**
 * Puts what was uploaded in the place of its file_hash; whatever else the part says of it is passed over.
 * @errors INVALID_MESSAGE_PARTS for a hash that names no file of the account
 */
export const attach = async <T extends Given>(filesOf: FilesOf, accountId: number, given: T): Promise<T> => {
  const { message_parts: parts = [] } = given;
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
  return { ...given, message_parts };
};
