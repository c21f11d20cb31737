import { Parts } from "../../thread/parts/part-view.tsx";
import { IconButton } from "../../ui/button.tsx";
import field from "../../ui/field.module.css";
import { TextField } from "../../ui/text-field.tsx";
import { languageName } from "../../i18n/format.ts";
import { topicMessages as texts } from "./messages.ts";
import type { textProblems, TopicText } from "./topic-form.ts";
import styles from "./topics.module.css";
import { WelcomeEditor } from "./welcome-editor.tsx";
import { messagePartsOf } from "./welcome-parts.ts";

/** The welcome message as customers see it. */
const WelcomePreview = ({ text: { rows, name } }: { readonly text: TopicText }) => {
  const parts = messagePartsOf(rows);
  if (parts.length === 0) return undefined;
  return (
    <figure className={styles.preview}>
      <figcaption className={field.help}>{texts.preview}</figcaption>
      <div className={styles.bubble}>
        <Parts parts={parts} author={name} />
      </div>
    </figure>
  );
};

interface TopicTextFieldsProps {
  readonly text: TopicText;
  readonly isPrimary: boolean;
  readonly problems: ReturnType<typeof textProblems>;
  readonly onChange: (next: (text: TopicText) => Partial<TopicText>) => void;
  readonly onRemove: () => void;
}

/** Name and welcome message of a topic in one language. */
export const TopicTextFields = ({ text, isPrimary, problems, onChange, onRemove }: TopicTextFieldsProps) => {
  const language = languageName(text.locale);
  return (
    <section className={styles.language} aria-label={language}>
      <div className={styles.languageTitle}>
        <h3>{isPrimary ? texts.primary(language) : language}</h3>
        {!isPrimary && <IconButton icon="trash" label={texts.removeLanguage(language)} onPress={onRemove} />}
      </div>
      <TextField
        label={texts.name}
        value={text.name}
        onChange={(name) => onChange(() => ({ name }))}
        error={problems.name}
        autoFocus={isPrimary}
      />
      <WelcomeEditor text={text} problem={problems.welcome} onChange={onChange} />
      <WelcomePreview text={text} />
    </section>
  );
};
