import type { Template } from "@parley/contract";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { useAccountDocument, type AccountConfigurationState } from "../account-document.ts";
import shared from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { useOpenedEntry } from "../use-opened-entry.ts";
import { outboundTemplateMessages as texts } from "./messages.ts";
import { OutboundTemplateDialog } from "./outbound-template-dialog.tsx";
import styles from "./outbound-templates.module.css";
import { removalName } from "./template-values.ts";

const TONES = { approved: "success", pending: "warning", rejected: "danger" } as const;

const COLUMNS: readonly Column<Template>[] = [
  {
    id: "name",
    label: texts.name,
    cell: ({ name, namespace }) => (
      <>
        {name}
        <span className={shared.detail}>{namespace}</span>
      </>
    ),
  },
  { id: "language", label: texts.language, cell: ({ language }) => language },
  { id: "status", label: texts.status, cell: ({ status }) => <Badge tone={TONES[status]}>{texts[status]}</Badge> },
  { id: "body", label: texts.body, cell: ({ body }) => <span className={styles.text}>{body.text}</span> },
];

interface OutboundTemplatesProps extends Pick<AccountConfigurationState, "change" | "remove" | "reread"> {
  readonly templates: readonly Template[];
}

const OutboundTemplates = ({ templates, change, remove, reread }: OutboundTemplatesProps) => {
  const { opened, open, close } = useOpenedEntry(async () => (await reread()).templates ?? [], removalName);
  const [removed, setRemoved] = useState<Template>();
  /** Templates in several languages share a name. */
  const titleOf = ({ name, language }: Template): string => `${name} (${language})`;
  const columns: readonly Column<Template>[] = [
    ...COLUMNS,
    {
      id: "actions",
      label: texts.actions,
      isAction: true,
      cell: (template) => (
        <>
          <IconButton icon="edit" label={texts.edit(titleOf(template))} onPress={() => open(template)} />
          <IconButton icon="trash" label={texts.remove(titleOf(template))} onPress={() => setRemoved(template)} />
        </>
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title={administrationMessages.outboundTemplates}
        intro={administrationMessages.outboundTemplatesIntro}
      >
        <Button variant="primary" icon="plus" onPress={() => open("new")}>
          {texts.create}
        </Button>
      </PageHeader>
      <p className={shared.notice}>{texts.about}</p>
      {templates.length === 0 ? (
        <EmptyState icon="template" title={texts.none}>
          <p>{texts.noneText}</p>
        </EmptyState>
      ) : (
        <RecordTable
          label={administrationMessages.outboundTemplates}
          columns={columns}
          records={templates}
          idOf={removalName}
        />
      )}
      {opened !== undefined && (
        <OutboundTemplateDialog
          template={opened === "new" ? undefined : opened}
          templates={templates}
          change={change}
          reread={reread}
          onClose={close}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeTitle(titleOf(removed))}
          text={texts.removeText}
          action={texts.remove(titleOf(removed))}
          run={async () => {
            await remove("templates", removalName(removed));
            showToast(texts.removed(titleOf(removed)));
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
};

/** Texts with which programs write to customers first, with the provider's approval. */
export const OutboundTemplatesPage = () => {
  const { query, ...changes } = useAccountDocument();
  return (
    <div className={shared.page}>
      <LoadState query={query}>
        {({ templates = [] }) => <OutboundTemplates templates={templates} {...changes} />}
      </LoadState>
    </div>
  );
};
