import type { MessagePreview } from "@parley/contract";
import { visibleName } from "@parley/contract/display";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./list-row.module.css";
import { inboxMessages as texts } from "./messages.ts";

/** Texts for messages that begin with another part than a text. */
const KIND_TEXTS: Readonly<Record<string, string>> = {
  image: texts.image,
  video: texts.video,
  file: texts.file,
  url_button: texts.button,
  collection: texts.buttons,
  template_content: texts.choices,
  callback: texts.choices,
};

const textOf = ({ text, kind }: MessagePreview): string =>
  text === kind && kind !== "text" ? (KIND_TEXTS[kind] ?? texts.message) : visibleName(text);

interface RowPreviewProps {
  readonly preview: MessagePreview | undefined;
  /** Text of the agent's draft, which is shown in place of the message. */
  readonly draft: string | undefined;
}

/** The beginning of the agent's draft, or of the newest message. Private notes are marked, so that nobody takes them for an answer. */
export const RowPreview = ({ preview, draft }: RowPreviewProps) => {
  if (draft !== undefined)
    return (
      <span className={styles.preview}>
        <span className={styles.draft}>{texts.draft}</span>
        <span className={styles.previewText}>{draft}</span>
      </span>
    );
  const isNote = preview?.is_private ?? false;
  const isAnswer = !isNote && (preview?.actor_type === "agent" || preview?.actor_type === "bot");
  return (
    <span className={classes(styles.preview, isNote && styles.note)}>
      {isNote && (
        <>
          <Icon name="note" />
          <span className={styles.noteLabel}>{texts.note}</span>
        </>
      )}
      {isAnswer && <Icon name="reply" label={texts.answer} />}
      <span className={styles.previewText}>{preview && textOf(preview)}</span>
    </span>
  );
};
