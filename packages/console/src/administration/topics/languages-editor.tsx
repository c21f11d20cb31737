import { AddLanguage } from "../add-language.tsx";
import { ADMIN_VALUES } from "../contract-values.ts";
import type { FieldProps } from "../../forms/schema-fields.tsx";
import { emptyText, textProblems, type TopicText, type TopicValues } from "./topic-form.ts";
import { TopicTextFields } from "./topic-text-fields.tsx";

interface LanguagesEditorProps extends Pick<
  FieldProps<TopicValues, readonly TopicText[]>,
  "value" | "problem" | "change"
> {
  /** Names of the other topics. */
  readonly others: readonly string[];
}

/** The texts in all languages, and a button for another language. */
export const LanguagesEditor = ({ value: languages, problem, change, others }: LanguagesEditorProps) => {
  const changeText = (locale: string, next: (text: TopicText) => Partial<TopicText>): void =>
    change((values) => ({
      languages: values.languages.map((text) => (text.locale === locale ? { ...text, ...next(text) } : text)),
    }));
  return (
    <>
      {languages.map((text, index) => (
        <TopicTextFields
          key={text.locale}
          text={text}
          isPrimary={index === 0}
          problems={problem === undefined ? {} : textProblems(text, index === 0 ? others : [])}
          onChange={(next) => changeText(text.locale, next)}
          onRemove={() => change({ languages: languages.filter(({ locale }) => locale !== text.locale) })}
        />
      ))}
      <AddLanguage
        present={languages.map(({ locale }) => locale)}
        isDisabled={languages.length > ADMIN_VALUES.accountLimits.channel_locales}
        onAdd={(locale) => change({ languages: [...languages, emptyText(locale)] })}
      />
    </>
  );
};
