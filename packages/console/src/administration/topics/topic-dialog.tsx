import type { AccountDocument, ChannelSetting } from "@parley/contract";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ChoicePopover } from "../../ui/choice-popover.tsx";
import field from "../../ui/field.module.css";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { FormDialog } from "../form-dialog.tsx";
import { languageChoices } from "../languages.ts";
import { useForm, type FormState } from "../use-form.ts";
import { topicMessages as texts } from "./messages.ts";
import { TopicTextFields } from "./topic-text-fields.tsx";
import {
  emptyText,
  emptyTopic,
  problemsOf,
  settingOf,
  textProblems,
  topicsInOrder,
  valuesOf,
  type TopicText,
  type TopicValues,
} from "./topic-values.ts";

interface LanguagesProps {
  readonly form: FormState<TopicValues>;
  /** Names of the other topics. */
  readonly others: readonly string[];
}

/** The texts in all languages, and a button for another one. */
const Languages = ({ form, others }: LanguagesProps) => {
  const [isOpen, setOpen] = useState(false);
  const { languages } = form.values;
  const present = languages.map(({ locale }) => locale);
  const change = (locale: string, next: Partial<TopicText>): void =>
    form.change({ languages: languages.map((text) => (text.locale === locale ? { ...text, ...next } : text)) });
  return (
    <>
      {languages.map((text, index) => (
        <TopicTextFields
          key={text.locale}
          text={text}
          isPrimary={index === 0}
          problems={form.problems.languages === undefined ? {} : textProblems(text, index === 0 ? others : [])}
          onChange={(next) => change(text.locale, next)}
          onRemove={() => form.change({ languages: languages.filter(({ locale }) => locale !== text.locale) })}
        />
      ))}
      <div>
        <ChoicePopover
          label={texts.addLanguage}
          choices={languageChoices([]).filter(({ id }) => !present.includes(id))}
          onChoose={(locale) => form.change({ languages: [...languages, emptyText(locale)] })}
          isOpen={isOpen}
          onOpenChange={setOpen}
        >
          <Button icon="plus">{texts.addLanguage}</Button>
        </ChoicePopover>
      </div>
    </>
  );
};

interface TopicDialogProps extends Pick<AccountConfigurationState, "change"> {
  /** Undefined: a new one. */
  readonly topic: ChannelSetting | undefined;
  readonly document: AccountDocument;
  /** Reads the topics as they are now. */
  readonly reread: () => Promise<readonly ChannelSetting[]>;
  readonly onClose: () => void;
}

/** The fields of a topic. */
export const TopicDialog = ({ topic, document, change, reread, onClose }: TopicDialogProps) => {
  const { channels = [], primary_locale: primary = "en" } = document;
  const others = channels.filter(({ id }) => id !== topic?.id).map(({ name }) => name);
  const form = useForm({
    initial: topic ? valuesOf(topic, primary) : emptyTopic(primary),
    check: (values) => problemsOf(values, others),
    async save(values) {
      const setting = settingOf(topic?.id, values);
      // A topic that is written alone comes last; the others are named to keep their order.
      const listed = topic === undefined ? [setting] : topicsInOrder(await reread(), setting);
      await change({ channels: listed, prune: topic === undefined ? [] : ["locales"] });
      showToast(texts.saved(setting.name));
      onClose();
    },
  });
  const { values, problems } = form;
  return (
    <FormDialog title={topic ? texts.editTitle : texts.newTitle} isWide form={form} onClose={onClose}>
      <Languages form={form} others={others} />
      <div>
        <Checkbox isSelected={values.isEnabled} onChange={(isEnabled) => form.change({ isEnabled })}>
          {texts.enabled}
        </Checkbox>
        <p className={field.help}>{texts.enabledHelp}</p>
      </div>
      <div>
        <Checkbox isSelected={values.isPublic} onChange={(isPublic) => form.change({ isPublic })}>
          {texts.public}
        </Checkbox>
        <p className={field.help}>{texts.publicHelp}</p>
      </div>
      <TextField
        label={texts.tags}
        help={texts.tagsHelp}
        value={values.tags}
        onChange={(tags) => form.change({ tags })}
        validationBehavior="aria"
        error={problems.tags}
      />
      <TextField
        label={texts.icon}
        help={texts.iconHelp}
        value={values.icon}
        onChange={(icon) => form.change({ icon })}
        validationBehavior="aria"
        error={problems.icon}
      />
    </FormDialog>
  );
};
