import { IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { AddLanguage } from "../add-language.tsx";
import { ADMIN_VALUES } from "../contract-values.ts";
import { languageName } from "../../i18n/format.ts";
import styles from "./look.module.css";
import { lookMessages as texts } from "./look-messages.ts";
import { LOOK_TEXT_NAMES, lookText, lookTextProblems, type LookText, type LookTextName } from "./look-form.ts";

const LABELS: Readonly<Record<LookTextName, string>> = {
  title: texts.heading,
  help: texts.helpText,
  message_field: texts.messageField,
  away: texts.away,
  button_label: texts.buttonLabel,
};

interface LookTextsProps {
  readonly languages: readonly LookText[];
  /** Whether problems are shown. */
  readonly hasProblem: boolean;
  readonly onChange: (languages: readonly LookText[]) => void;
}

/** The texts in all languages, and a button for another language. */
export const LookTexts = ({ languages, hasProblem, onChange }: LookTextsProps) => {
  return (
    <>
      {languages.map((text, index) => {
        const language = languageName(text.locale);
        const problems = hasProblem ? lookTextProblems(text) : {};
        return (
          <section key={text.locale} className={styles.language} aria-label={language}>
            <div className={styles.languageTitle}>
              <h4>{index === 0 ? texts.primary(language) : language}</h4>
              {index > 0 && (
                <IconButton
                  icon="trash"
                  label={texts.removeLanguage(language)}
                  onPress={() => onChange(languages.filter((each) => each !== text))}
                />
              )}
            </div>
            {LOOK_TEXT_NAMES.map((name) => (
              <TextField
                key={name}
                label={LABELS[name]}
                value={text[name]}
                onChange={(value) =>
                  onChange(languages.map((each) => (each === text ? { ...each, [name]: value } : each)))
                }
                error={problems[name]}
              />
            ))}
          </section>
        );
      })}
      <AddLanguage
        present={languages.map(({ locale }) => locale)}
        isDisabled={languages.length >= ADMIN_VALUES.messengerLimits.look_locales}
        onAdd={(locale) => onChange([...languages, lookText(locale)])}
      />
    </>
  );
};
