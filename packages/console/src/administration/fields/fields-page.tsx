import type { FieldSetting } from "@parley/contract";
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
import { OrderButtons } from "../order-buttons.tsx";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { useMoves } from "../use-moves.ts";
import { useOpenedEntry } from "../use-opened-entry.ts";
import { FieldDialog } from "./field-dialog.tsx";
import { PRIORITY, positionChanges } from "./field-values.ts";
import styles from "./fields.module.css";
import { fieldMessages as texts } from "./messages.ts";

const labelOf = ({ label, name }: FieldSetting): string => label ?? name;

const COLUMNS: readonly Column<FieldSetting>[] = [
  { id: "label", label: texts.label, cell: labelOf },
  { id: "name", label: texts.name, cell: ({ name }) => <code className={styles.api}>{name}</code> },
  {
    id: "type",
    label: texts.type,
    cell: ({ type = "TEXT", choices = [] }) => (
      <>
        {texts[type]}
        {choices.length > 0 && <span className={shared.detail}>{texts.choiceCount(choices.length)}</span>}
      </>
    ),
  },
  {
    id: "settings",
    label: texts.settings,
    cell: ({ required = false, editable = true }) => (
      <span className={styles.badges}>
        {required && <Badge tone="accent">{texts.required}</Badge>}
        {!editable && <Badge>{texts.fixed}</Badge>}
        {!required && editable && "–"}
      </span>
    ),
  },
];

interface FieldsProps extends Pick<AccountConfigurationState, "change" | "remove" | "reread"> {
  readonly fields: readonly FieldSetting[];
}

const Fields = ({ fields, change, remove, reread }: FieldsProps) => {
  const rereadFields = async (): Promise<readonly FieldSetting[]> => (await reread()).fields ?? [];
  const { opened, open, close } = useOpenedEntry(rereadFields, ({ name }) => name);
  const [removed, setRemoved] = useState<FieldSetting>();
  const move = useMoves({
    reread: rereadFields,
    idOf: ({ name }) => name,
    save: (ordered) => change({ fields: positionChanges(ordered) }),
    onMoved: (field) => showToast(texts.moved(labelOf(field))),
  });
  const columns: readonly Column<FieldSetting>[] = [
    ...COLUMNS,
    {
      id: "actions",
      label: texts.actions,
      isAction: true,
      cell: (field) => (
        <>
          <OrderButtons
            name={labelOf(field)}
            index={fields.indexOf(field)}
            count={fields.length}
            onMove={(to) => move(field, to - fields.indexOf(field))}
          />
          <IconButton icon="edit" label={texts.edit(labelOf(field))} onPress={() => open(field)} />
          {field.name !== PRIORITY && (
            <IconButton icon="trash" label={texts.remove(labelOf(field))} onPress={() => setRemoved(field)} />
          )}
        </>
      ),
    },
  ];
  return (
    <>
      <PageHeader title={administrationMessages.fields} intro={administrationMessages.fieldsIntro}>
        <Button variant="primary" icon="plus" onPress={() => open("new")}>
          {texts.create}
        </Button>
      </PageHeader>
      {fields.length === 0 ? (
        <EmptyState icon="flag" title={texts.none}>
          <p>{texts.noneText}</p>
        </EmptyState>
      ) : (
        <>
          <p className={shared.notice}>{texts.orderHelp}</p>
          <RecordTable
            label={administrationMessages.fields}
            columns={columns}
            records={fields}
            idOf={({ name }) => name}
          />
        </>
      )}
      {opened !== undefined && (
        <FieldDialog
          field={opened === "new" ? undefined : opened}
          fields={fields}
          change={change}
          reread={reread}
          onClose={close}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeTitle(labelOf(removed))}
          text={texts.removeText}
          action={texts.remove(labelOf(removed))}
          run={async () => {
            await remove("fields", removed.name);
            showToast(texts.removed(labelOf(removed)));
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
};

const Standalone = () => (
  <>
    <PageHeader title={administrationMessages.fields} intro={administrationMessages.fieldsIntro} />
    <EmptyState icon="flag" title={texts.standalone}>
      <p>{texts.standaloneText}</p>
    </EmptyState>
  </>
);

/** Properties of conversations in the order in which agents see them. A stand-alone account has no properties. */
export const FieldsPage = () => {
  const { query, ...changes } = useAccountDocument();
  return (
    <div className={shared.page}>
      <LoadState query={query}>
        {({ bundle, fields = [] }) =>
          bundle === undefined || bundle.id === 0 ? <Standalone /> : <Fields fields={fields} {...changes} />
        }
      </LoadState>
    </div>
  );
};
