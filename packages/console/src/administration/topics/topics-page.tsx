import type { AccountDocument, ChannelSetting } from "@parley/contract";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Picture } from "../../pictures/picture.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { useAccountDocument, type AccountConfigurationState } from "../account-document.ts";
import shared from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { languageName } from "../../i18n/format.ts";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { OrderButtons } from "../order-buttons.tsx";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { useMoves } from "../use-moves.ts";
import { useOpenedEntry } from "../use-opened-entry.ts";
import { topicMessages as texts } from "./messages.ts";
import { TopicDialog } from "./topic-dialog.tsx";
import { topicsInOrder } from "./topic-values.ts";
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

interface TopicsProps extends Pick<AccountConfigurationState, "change" | "remove"> {
  readonly document: AccountDocument;
  readonly reread: () => Promise<readonly ChannelSetting[]>;
}

const Topics = ({ document, reread, change, remove }: TopicsProps) => {
  const { channels = [] } = document;
  const { opened, open, close } = useOpenedEntry(reread, ({ id }) => id);
  const [removed, setRemoved] = useState<ChannelSetting>();
  const move = useMoves({
    reread,
    idOf: ({ id }) => id,
    save: (ordered) => change({ channels: topicsInOrder(ordered) }),
    onMoved: ({ name }) => showToast(texts.moved(name)),
  });
  const columns: readonly Column<ChannelSetting>[] = [
    ...COLUMNS,
    {
      id: "actions",
      label: texts.actions,
      isAction: true,
      cell: (topic) => (
        <>
          <OrderButtons
            name={topic.name}
            index={channels.indexOf(topic)}
            count={channels.length}
            onMove={(to) => move(topic, to - channels.indexOf(topic))}
          />
          <IconButton icon="edit" label={texts.edit(topic.name)} onPress={() => open(topic)} />
          <IconButton icon="trash" label={texts.remove(topic.name)} onPress={() => setRemoved(topic)} />
        </>
      ),
    },
  ];
  return (
    <>
      <PageHeader title={administrationMessages.topics} intro={administrationMessages.topicsIntro}>
        <Button variant="primary" icon="plus" onPress={() => open("new")}>
          {texts.create}
        </Button>
      </PageHeader>
      {channels.length === 0 ? (
        <EmptyState icon="inbox" title={texts.none}>
          <p>{texts.noneText}</p>
        </EmptyState>
      ) : (
        <>
          <p className={shared.notice}>{texts.orderHelp}</p>
          <RecordTable
            label={administrationMessages.topics}
            columns={columns}
            records={channels}
            idOf={({ id = "" }) => id}
          />
        </>
      )}
      {opened !== undefined && (
        <TopicDialog
          topic={opened === "new" ? undefined : opened}
          document={document}
          change={change}
          reread={reread}
          onClose={close}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeTitle(removed.name)}
          text={texts.removeText}
          action={texts.remove(removed.name)}
          run={async () => {
            await remove("channels", removed.id ?? removed.name);
            showToast(texts.removed(removed.name));
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
};

/** Topics in the order in which customers see them, with their texts in all languages. */
export const TopicsPage = () => {
  const { query, change, remove, reread } = useAccountDocument();
  const rereadTopics = async (): Promise<readonly ChannelSetting[]> => (await reread()).channels ?? [];
  return (
    <div className={shared.page}>
      <LoadState query={query}>
        {(document) => <Topics document={document} reread={rereadTopics} change={change} remove={remove} />}
      </LoadState>
    </div>
  );
};
