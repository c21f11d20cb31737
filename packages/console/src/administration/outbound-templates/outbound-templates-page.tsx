import type { Template } from "@parley/contract";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import field from "../../ui/field.module.css";
import { useAccountDocument } from "../account-document.ts";
import shared from "../administration.module.css";
import { DocumentPage } from "../document-page.tsx";
import { entryMessages } from "../entry-messages.ts";
import { administrationMessages } from "../messages.ts";
import type { Column } from "../record-table.tsx";
import { SchemaFields } from "../../forms/schema-fields.tsx";
import { ButtonsEditor } from "./buttons-editor.tsx";
import { outboundTemplateMessages as texts } from "./messages.ts";
import { outboundTemplateForm, removalName, type OutboundTemplateValues } from "./outbound-form.ts";
import { OutboundTemplatePreview } from "./outbound-template-preview.tsx";
import { nextPlaceholder } from "./placeholders.ts";
import styles from "./outbound-templates.module.css";

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

type DialogFieldsProps = Parameters<typeof SchemaFields<Template, OutboundTemplateValues>>[0];

/** The fields of a template, with a preview. */
const DialogFields = (props: DialogFieldsProps) => {
  const { values, change } = props.state;
  const placeholder = nextPlaceholder(values.body);
  return (
    <>
      <div>
        <div className={styles.trio}>
          <SchemaFields {...props} names={["namespace", "name", "language"]} />
        </div>
        {props.form.members.name.isFixed && <p className={field.help}>{texts.identityFixed}</p>}
      </div>
      <SchemaFields {...props} names={["status", "header", "headerText", "body"]} />
      <div>
        <Button isSmall onPress={() => change({ body: values.body + placeholder })}>
          {texts.insert(placeholder)}
        </Button>
      </div>
      <ButtonsEditor
        buttons={values.buttons}
        onChange={(buttons) => change({ buttons })}
        isChecked={props.state.problems.buttons !== undefined}
      />
      <OutboundTemplatePreview values={values} />
    </>
  );
};

/** Texts with which programs write to customers first, with the provider's approval. */
export const OutboundTemplatesPage = () => {
  const account = useAccountDocument();
  return (
    <DocumentPage
      section="templates"
      account={account}
      title={administrationMessages.outboundTemplates}
      intro={administrationMessages.outboundTemplatesIntro}
      icon="template"
      texts={texts}
      above={() => <p className={shared.notice}>{texts.about}</p>}
      idOf={removalName}
      // Templates in several languages share a name.
      nameOf={({ name, language }) => `${name} (${language})`}
      removalOf={removalName}
      columns={COLUMNS}
      keptAt="outbound template"
      isWide
      form={(template, { templates = [] }) =>
        outboundTemplateForm(
          template,
          templates.filter((other) => template === undefined || removalName(other) !== removalName(template)),
        )
      }
      savedText={({ name }) => entryMessages.saved(name)}
      fields={(state, form) => <DialogFields state={state} form={form} />}
    />
  );
};
