import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { ChoicePopover } from "../ui/choice-popover.tsx";
import { entryMessages as texts } from "./entry-messages.ts";
import { languageChoices } from "./languages.ts";
import { LocaleField } from "./locale-field.tsx";

interface AddLanguageProps {
  /** Locales that have texts already. */
  readonly present: readonly string[];
  readonly isDisabled: boolean;
  readonly onAdd: (locale: string) => void;
}

/** A button for texts in another language. */
export const AddLanguage = ({ present, isDisabled, onAdd }: AddLanguageProps) => {
  const [isOpen, setOpen] = useState(false);
  const add = (locale: string): void => {
    setOpen(false);
    if (!present.includes(locale)) onAdd(locale);
  };
  return (
    <div>
      <ChoicePopover
        label={texts.addLanguage}
        choices={languageChoices([]).filter(({ id }) => !present.includes(id))}
        onChoose={add}
        footer={<LocaleField onChoose={add} />}
        isOpen={isOpen}
        onOpenChange={setOpen}
      >
        <Button icon="plus" isDisabled={isDisabled}>
          {texts.addLanguage}
        </Button>
      </ChoicePopover>
    </div>
  );
};
