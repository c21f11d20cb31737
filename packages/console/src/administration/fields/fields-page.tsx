import type { FieldSetting } from "@parley/contract";
import { Badge } from "../../ui/badge.tsx";
import { useAccountDocument } from "../account-document.ts";
import shared from "../administration.module.css";
import { DocumentPage } from "../document-page.tsx";
import { administrationMessages } from "../messages.ts";
import { positionChanges } from "./choices.ts";
import { ChoicesEditor } from "./choices-editor.tsx";
import { fieldForm, PRIORITY } from "./field-form.ts";
import type { Column } from "../record-table.tsx";
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

const STANDALONE = { ...texts, none: texts.standalone, noneText: texts.standaloneText };

/** Properties of conversations in the order in which agents see them. A stand-alone account has no properties. */
export const FieldsPage = () => {
  const account = useAccountDocument();
  const isStandalone = (account.query.data?.bundle?.id ?? 0) === 0;
  return (
    <DocumentPage
      section="fields"
      account={account}
      title={administrationMessages.fields}
      intro={administrationMessages.fieldsIntro}
      icon="flag"
      texts={isStandalone ? STANDALONE : texts}
      isChangeable={!isStandalone}
      entriesOf={({ fields = [] }) => (isStandalone ? [] : fields)}
      notice={texts.orderHelp}
      idOf={({ name }) => name}
      nameOf={labelOf}
      removalOf={({ name }) => name}
      mayRemove={({ name }) => name !== PRIORITY}
      columns={COLUMNS}
      keptAt="conversation property"
      needed={["id", "name"]}
      form={(field, { fields = [] }) => fieldForm(field, fields)}
      widgets={() => ({
        choices: ({ value, onChange, problem }) => (
          <ChoicesEditor choices={value} onChange={onChange} error={problem} />
        ),
      })}
      changeOf={(field) => ({ fields: [field], prune: ["choices"] })}
      orderOf={positionChanges}
    />
  );
};
