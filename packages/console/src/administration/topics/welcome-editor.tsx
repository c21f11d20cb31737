import { useRef } from "react";
import { AttachmentList } from "../../composer/attachment-list.tsx";
import { Button } from "../../ui/button.tsx";
import field from "../../ui/field.module.css";
import { Menu } from "../../ui/menu.tsx";
import { movedTo } from "../order.ts";
import styles from "./topics.module.css";
import type { TopicText } from "./topic-form.ts";
import { usePartUploads } from "./use-part-uploads.ts";
import { welcomeMessages as texts } from "./welcome-messages.ts";
import { WelcomePartRow } from "./welcome-part-row.tsx";
import { partProblem, rowNames, withNewPart, withPart, type EditedKind, type PartRow } from "./welcome-parts.ts";

const ADDED: readonly (readonly [EditedKind, string])[] = [
  ["text", texts.addText],
  ["url_button", texts.addButton],
  ["image", texts.addImage],
  ["video", texts.addVideo],
  ["file", texts.addFile],
];

interface UploadButtonProps {
  readonly onFiles: (files: readonly File[]) => void;
}

const UploadButton = ({ onFiles }: UploadButtonProps) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = "";
        }}
      />
      <Button isSmall icon="attach" onPress={() => input.current?.click()}>
        {texts.upload}
      </Button>
    </>
  );
};

interface WelcomeEditorProps {
  readonly text: TopicText;
  /** Why the message is refused; undefined as long as it is not checked. */
  readonly problem: string | undefined;
  readonly onChange: (next: (text: TopicText) => Partial<TopicText>) => void;
}

/** The parts of a welcome message: texts, pictures, videos, files and buttons, in their order. */
export const WelcomeEditor = ({ text: { rows }, problem, onChange }: WelcomeEditorProps) => {
  const names = rowNames(rows);
  const problems = rows.map((row) => (problem === undefined ? undefined : partProblem(row)));
  const changeRows = (next: (rows: readonly PartRow[]) => readonly PartRow[]): void =>
    onChange((text) => ({ rows: next(text.rows) }));
  const uploads = usePartUploads({
    onAttached: (part) => changeRows((present) => withPart(present, part)),
    onUploading: (isUploading) => onChange(() => ({ isUploading })),
  });
  return (
    <div className={styles.welcome}>
      <ul className={styles.partList} aria-label={texts.parts}>
        {rows.map(({ key, part }, index) => (
          <WelcomePartRow
            key={key}
            name={names[index] ?? ""}
            part={part}
            problem={problems[index]}
            index={index}
            count={rows.length}
            onChange={(next) =>
              changeRows((present) => present.map((row) => (row.key === key ? { ...row, part: next } : row)))
            }
            onMove={(to) => changeRows((present) => movedTo(present, index, to))}
            onRemove={() => changeRows((present) => present.filter((row) => row.key !== key))}
          />
        ))}
      </ul>
      <AttachmentList parts={[]} uploads={uploads} onRemove={() => undefined} />
      {problem !== undefined && problems.every((each) => each === undefined) && (
        <p role="alert" className={field.error}>
          {problem}
        </p>
      )}
      <div className={styles.parts}>
        <UploadButton onFiles={uploads.add} />
        <Menu
          label={texts.add}
          groups={[
            {
              actions: ADDED.map(([kind, label]) => ({
                id: kind,
                label,
                onAction: () => changeRows((present) => withNewPart(present, kind)),
              })),
            },
          ]}
        >
          <Button isSmall icon="plus">
            {texts.add}
          </Button>
        </Menu>
      </div>
    </div>
  );
};
