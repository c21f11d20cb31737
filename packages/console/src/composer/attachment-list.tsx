import type { MessagePart } from "@parley/contract";
import { formatSize } from "../i18n/format.ts";
import { useStore } from "../state/store.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Picture } from "../pictures/picture.tsx";
import styles from "./composer.module.css";
import { composerMessages as texts } from "./messages.ts";
import type { Uploads } from "./uploads.ts";

interface AttachmentListProps {
  readonly parts: readonly MessagePart[];
  readonly uploads: Uploads;
  readonly onRemove: (part: MessagePart) => void;
}

const nameOf = ({ file }: MessagePart): string => file?.name ?? texts.picture;

/** Files of the message that is being written: uploaded, being uploaded, or refused. */
export const AttachmentList = ({ parts, uploads, onRemove }: AttachmentListProps) => {
  const waiting = useStore(uploads.list);
  if (parts.length === 0 && waiting.length === 0) return undefined;
  return (
    <ul className={styles.attachments} aria-label={texts.attachments}>
      {parts.map((part, index) => (
        <li key={index} className={styles.attachment}>
          {part.image ? (
            <Picture
              src={part.image.url}
              source={undefined}
              alt={texts.picture}
              className={styles.thumbnail}
              fallback={<Icon name="image" label={texts.picture} />}
            />
          ) : (
            <>
              <Icon name="file" />
              <span className={styles.fileName}>{nameOf(part)}</span>
              {part.file?.file_size_in_bytes !== undefined && (
                <span className={styles.detail}>{formatSize(part.file.file_size_in_bytes)}</span>
              )}
            </>
          )}
          <IconButton isSmall icon="close" label={texts.remove(nameOf(part))} onPress={() => onRemove(part)} />
        </li>
      ))}
      {waiting.map(({ id, file, error, isRefused = false }) => (
        <li key={`upload ${id}`} className={styles.attachment} data-failed={error !== undefined}>
          {error === undefined ? (
            <span role="status" className={styles.uploading}>
              <span className={styles.circle} />
              <span className="visually-hidden">{texts.uploading(file.name)}</span>
            </span>
          ) : (
            <Icon name="warning" />
          )}
          <span className={styles.fileName}>{error ?? file.name}</span>
          {error === undefined && <span className={styles.detail}>{formatSize(file.size)}</span>}
          {error !== undefined && !isRefused && (
            <IconButton isSmall icon="undo" label={texts.retry(file.name)} onPress={() => uploads.retry(id)} />
          )}
          <IconButton isSmall icon="close" label={texts.remove(file.name)} onPress={() => uploads.remove(id)} />
        </li>
      ))}
    </ul>
  );
};
