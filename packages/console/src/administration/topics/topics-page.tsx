import type { AccountDocument, ChannelSetting } from "@parley/contract";
import { Badge } from "../../ui/badge.tsx";
import { Picture } from "../../pictures/picture.tsx";
import { useAccountDocument } from "../account-document.ts";
import shared from "../administration.module.css";
import { languageName } from "../../i18n/format.ts";
import { DocumentPage } from "../document-page.tsx";
import { administrationMessages } from "../messages.ts";
import { PictureField } from "../picture-field.tsx";
import type { Column } from "../record-table.tsx";
import { LanguagesEditor } from "./languages-editor.tsx";
import { topicMessages as texts } from "./messages.ts";
import { TagsEditor } from "./tags-editor.tsx";
import { memberLabel, topicMembersOf, valuesOfMembers } from "./topic-members.ts";
import { topicForm, topicsInOrder } from "./topic-form.ts";
import styles from "./topics.module.css";

const Visibility = ({ enabled = true, public: isPublic = true }: ChannelSetting) => {
  if (!enabled) return <Badge>{texts.off}</Badge>;
  return <Badge tone={isPublic ? "success" : "warning"}>{isPublic ? texts.shown : texts.hidden}</Badge>;
};

const TopicName = ({ id, name, icon, locales = {} }: ChannelSetting) => {
  return (
    <>
      {icon?.url !== undefined && (
        <Picture className={styles.icon} src={icon.url} source={id === undefined ? id : { channel_id: id }} alt="" />
      )}
      {name}
      {Object.keys(locales).length > 0 && (
        <span className={shared.detail}>{Object.keys(locales).map(languageName).join(", ")}</span>
      )}
    </>
  );
};

const COLUMNS: readonly Column<ChannelSetting>[] = [
  { id: "name", label: texts.name, cell: TopicName },
  { id: "visibility", label: texts.visibility, cell: Visibility },
  { id: "tags", label: texts.tags, cell: ({ tags = [] }) => tags.join(", ") || "–" },
  {
    id: "welcome",
    label: texts.welcome,
    cell: ({ welcome_message: { message_parts: parts } = { message_parts: [] } }) => {
      const text = parts.find((part) => part.text !== undefined)?.text?.content;
      const count = parts.length === 0 ? "–" : texts.partCount(parts.length);
      return <span className={styles.excerpt}>{text ?? count}</span>;
    },
  },
];

const primaryOf = ({ primary_locale = "en" }: AccountDocument): string => primary_locale;
const othersOf = (topic: ChannelSetting | undefined, { channels = [] }: AccountDocument): readonly string[] =>
  channels.filter(({ id }) => id !== topic?.id).map(({ name }) => name);

/** Topics in the order in which customers see them, with their texts in all languages. */
export const TopicsPage = () => {
  const account = useAccountDocument();
  return (
    <DocumentPage
      section="channels"
      account={account}
      title={administrationMessages.topics}
      intro={administrationMessages.topicsIntro}
      icon="inbox"
      texts={texts}
      notice={texts.orderHelp}
      idOf={({ id = "" }) => id}
      nameOf={({ name }) => name}
      keyOf={({ name }) => name}
      removalOf={({ id, name }) => id ?? name}
      columns={COLUMNS}
      keptAt="topic"
      isWide
      needed={["id", "name"]}
      form={(topic, document) => topicForm(primaryOf(document), othersOf(topic, document))}
      members={(document) => ({
        of: topicMembersOf,
        valuesOf: (members) => valuesOfMembers(members, primaryOf(document)),
      })}
      labelOf={memberLabel}
      widgets={(topic, document) => ({
        languages: (field) => <LanguagesEditor {...field} others={othersOf(topic, document)} />,
        tags: ({ value, values, problem, change }) => (
          <TagsEditor tags={value} newTag={values.newTag} error={problem} onChange={change} />
        ),
        icon: ({ value, problem, onChange }) => (
          <PictureField label={texts.icon} help={texts.iconHelp} value={value} error={problem} onChange={onChange} />
        ),
      })}
      // A topic that is written alone comes last; the others are named to keep their order.
      changeOf={(topic, listed, isNew) =>
        isNew ? { channels: [topic] } : { channels: topicsInOrder(listed, topic), prune: ["locales"] }
      }
      orderOf={topicsInOrder}
    />
  );
};
