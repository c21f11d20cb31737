import type { AccountDocument, ChannelSetting } from "@parley/contract";
import { useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ChoicePopover } from "../../ui/choice-popover.tsx";
import field from "../../ui/field.module.css";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { ADMIN_VALUES } from "../contract-values.ts";
import { changedSetting, presentEntry } from "../entry-merge.ts";
import { FormDialog } from "../form-dialog.tsx";
import { languageChoices } from "../languages.ts";
import { LocaleField } from "../locale-field.tsx";
import { PictureField } from "../picture-field.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import type { FormState } from "../use-form.ts";
import { topicMessages as texts } from "./messages.ts";
import { TagsEditor } from "./tags-editor.tsx";
import { memberLabel, topicMembersOf, valuesOfMembers } from "./topic-members.ts";
import { TopicTextFields } from "./topic-text-fields.tsx";
import {
  emptyText,
  emptyTopic,
  topicProblemsOf,
  topicSettingOf,
  textProblems,
  topicsInOrder,
  topicValuesOf,
  type TopicText,
  type TopicValues,
} from "./topic-values.ts";

interface LanguagesProps {
  readonly form: FormState<TopicValues>;
  /** Names of the other topics. */
  readonly others: readonly string[];
}

/** The texts in all languages, and a button for another language. */
const Languages = ({ form, others }: LanguagesProps) => {
  const [isOpen, setOpen] = useState(false);
  const { languages } = form.values;
  const present = languages.map(({ locale }) => locale);
  const change = (locale: string, next: (text: TopicText) => Partial<TopicText>): void =>
    form.change((values) => ({
      languages: values.languages.map((text) => (text.locale === locale ? { ...text, ...next(text) } : text)),
    }));
  const add = (locale: string): void => {
    setOpen(false);
    if (!present.includes(locale)) form.change({ languages: [...languages, emptyText(locale)] });
  };
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

interface TopicDialogProps extends Pick<AccountConfigurationState, "change"> {
  /** Undefined for a new topic. */
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
  const listed = useRef(channels);
  /** The topic in a list; for a new one the topic that has its name. */
  const valuesIn = (list: readonly ChannelSetting[], name = ""): TopicValues | undefined => {
    const found = presentEntry(list, topic, name);
    return found && topicValuesOf(found, primary);
  };
  const form = useEntryForm({
    keptAt: `topic ${topic?.id ?? "new"}`,
    initial: topic ? topicValuesOf(topic, primary) : emptyTopic(primary),
    isNew: topic === undefined,
    present: topic && valuesIn(channels),
    async reread({ languages: [text] }) {
      listed.current = [...(await reread())];
      return valuesIn(listed.current, text?.name);
    },
    check: (values) => topicProblemsOf(values, others),
    labelOf: memberLabel,
    members: { of: topicMembersOf, valuesOf: (members) => valuesOfMembers(members, primary) },
    async save(values, present) {
      const before = present && topicSettingOf(topic?.id, present);
      const setting = changedSetting(before, topicSettingOf(topic?.id, values), ["id", "name"]);
      // A topic that is written alone comes last; the others are named to keep their order.
      const list = topic === undefined ? [setting] : topicsInOrder(listed.current, setting);
      await change({ channels: list, prune: topic === undefined ? [] : ["locales"] });
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
      <TagsEditor
        tags={values.tags}
        newTag={values.newTag}
        error={problems.tags}
        onChange={(next) => form.change(next)}
      />
      <PictureField
        label={texts.icon}
        help={texts.iconHelp}
        value={values.icon}
        error={problems.icon}
        onChange={(icon) => form.change({ icon })}
      />
    </FormDialog>
  );
};
