import { Parts } from "../../thread/parts/part-view.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import field from "../../ui/field.module.css";
import { TextField } from "../../ui/text-field.tsx";
import { languageName } from "../languages.ts";
import { topicMessages as texts } from "./messages.ts";
import { otherParts, shownParts, type textProblems, type TopicText } from "./topic-values.ts";
import styles from "./topics.module.css";

/** The welcome message as customers see it. */
const WelcomePreview = ({ text }: { readonly text: TopicText }) => {
  const parts = shownParts(text);
  if (parts.length === 0) return undefined;
  return (
    <figure className={styles.preview}>
      <figcaption className={field.help}>{texts.preview}</figcaption>
      <div className={styles.bubble}>
        <Parts parts={parts} author={text.name} />
      </div>
    </figure>
  );
};

interface TopicTextFieldsProps {
  readonly text: TopicText;
  readonly isPrimary: boolean;
  readonly problems: ReturnType<typeof textProblems>;
  readonly onChange: (next: Partial<TopicText>) => void;
  readonly onRemove: () => void;
}

/** Name and welcome message of a topic in one language. */
export const TopicTextFields = ({ text, isPrimary, problems, onChange, onRemove }: TopicTextFieldsProps) => {
  const language = languageName(text.locale);
  const others = otherParts(text.message?.message_parts).length;
  return (
    <section className={styles.language} aria-label={language}>
      <div className={styles.languageTitle}>
        <h3>{isPrimary ? texts.primary(language) : language}</h3>
        {!isPrimary && <IconButton icon="trash" label={texts.removeLanguage(language)} onPress={onRemove} />}
      </div>
      <TextField
        label={texts.name}
        value={text.name}
        onChange={(name) => onChange({ name })}
        validationBehavior="aria"
        error={problems.name}
        autoFocus={isPrimary}
      />
      <TextField
        label={texts.welcome}
        help={texts.welcomeHelp}
        lines={3}
        value={text.welcome}
        onChange={(welcome) => onChange({ welcome })}
        validationBehavior="aria"
        error={problems.welcome}
      />
      {others > 0 && (
        <div className={styles.parts}>
          <span className={field.help}>{texts.otherParts(others)}</span>
          <Button isSmall onPress={() => onChange({ message: undefined })}>
            {texts.removeParts}
          </Button>
        </div>
      )}
      <WelcomePreview text={text} />
    </section>
  );
};
