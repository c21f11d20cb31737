import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ChoicePopover } from "../../ui/choice-popover.tsx";
import { ADMIN_VALUES } from "../contract-values.ts";
import { languageChoices } from "../languages.ts";
import { LocaleField } from "../locale-field.tsx";
import type { FieldProps } from "../../forms/schema-fields.tsx";
import { topicMessages as texts } from "./messages.ts";
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
  const [isOpen, setOpen] = useState(false);
  const present = languages.map(({ locale }) => locale);
  const changeText = (locale: string, next: (text: TopicText) => Partial<TopicText>): void =>
    change((values) => ({
      languages: values.languages.map((text) => (text.locale === locale ? { ...text, ...next(text) } : text)),
    }));
  const add = (locale: string): void => {
    setOpen(false);
    if (!present.includes(locale)) change({ languages: [...languages, emptyText(locale)] });
  };
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
      <div>
        <ChoicePopover
          label={texts.addLanguage}
          choices={languageChoices([]).filter(({ id }) => !present.includes(id))}
          onChoose={add}
          footer={<LocaleField onChoose={add} />}
          isOpen={isOpen}
          onOpenChange={setOpen}
        >
          <Button icon="plus" isDisabled={languages.length > ADMIN_VALUES.accountLimits.channel_locales}>
            {texts.addLanguage}
          </Button>
        </ChoicePopover>
      </div>
    </>
  );
};
