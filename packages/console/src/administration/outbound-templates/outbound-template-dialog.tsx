import type { Template } from "@parley/contract";
import { Button } from "../../ui/button.tsx";
import help from "../../ui/field.module.css";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import type { FormState } from "../use-form.ts";
import { ButtonsEditor } from "./buttons-editor.tsx";
import { outboundTemplateMessages as texts } from "./messages.ts";
import { OutboundTemplatePreview } from "./outbound-template-preview.tsx";
import styles from "./outbound-templates.module.css";
import {
  emptyOutboundTemplate,
  HEADERS,
  nextPlaceholder,
  outboundTemplateProblemsOf,
  removalName,
  outboundTemplateSettingOf,
  STATUSES,
  outboundTemplateValuesOf,
  type TemplateHeaderType,
  type OutboundTemplateValues,
} from "./template-values.ts";

const HEADER_NAMES: Readonly<Record<TemplateHeaderType, string>> = {
  none: texts.headerNone,
  text: texts.headerPlain,
  image: texts.headerImage,
  video: texts.headerVideo,
  document: texts.headerDocument,
};

type TemplateForm = FormState<OutboundTemplateValues>;

/** Namespace, name and language, by which requests name a template. */
const Identity = ({ form, isFixed }: { readonly form: TemplateForm; readonly isFixed: boolean }) => {
  const { values, problems } = form;
  return (
    <div>
      <div className={styles.trio}>
        <TextField
          label={texts.namespace}
          help={texts.namespaceHelp}
          value={values.namespace}
          onChange={(namespace) => form.change({ namespace })}
          isReadOnly={isFixed}
          validationBehavior="aria"
          error={problems.namespace}
          autoFocus={!isFixed}
        />
        <TextField
          label={texts.name}
          value={values.name}
          onChange={(name) => form.change({ name })}
          isReadOnly={isFixed}
          validationBehavior="aria"
          error={problems.name}
        />
        <TextField
          label={texts.language}
          help={texts.languageHelp}
          value={values.language}
          onChange={(language) => form.change({ language })}
          isReadOnly={isFixed}
          validationBehavior="aria"
          error={problems.language}
        />
      </div>
      {isFixed && <p className={help.help}>{texts.identityFixed}</p>}
    </div>
  );
};

/** Header, text and buttons. */
const Content = ({ form }: { readonly form: TemplateForm }) => {
  const { values, problems } = form;
  const placeholder = nextPlaceholder(values.body);
  return (
    <>
      <Select
        label={texts.header}
        choices={HEADERS.map((id) => ({ id, label: HEADER_NAMES[id] }))}
        value={values.header}
        onChange={(id) => HEADERS.filter((each) => each === id).forEach((header) => form.change({ header }))}
      />
      {values.header === "text" && (
        <TextField
          label={texts.headerText}
          value={values.headerText}
          onChange={(headerText) => form.change({ headerText })}
          validationBehavior="aria"
          error={problems.headerText}
        />
      )}
      {values.header !== "text" && values.header !== "none" && <p className={help.help}>{texts.headerMedia}</p>}
      <TextField
        label={texts.body}
        help={texts.bodyHelp}
        lines={4}
        value={values.body}
        onChange={(body) => form.change({ body })}
        validationBehavior="aria"
        error={problems.body}
      />
      <div>
        <Button isSmall onPress={() => form.change({ body: values.body + placeholder })}>
          {texts.insert(placeholder)}
        </Button>
      </div>
      <ButtonsEditor
        buttons={values.buttons}
        onChange={(buttons) => form.change({ buttons })}
        isChecked={problems.buttons !== undefined}
      />
    </>
  );
};

const LABELS: Readonly<Record<keyof OutboundTemplateValues, string>> = {
  namespace: texts.namespace,
  name: texts.name,
  language: texts.language,
  status: texts.status,
  header: texts.header,
  headerText: texts.headerText,
  body: texts.body,
  buttons: texts.buttons,
};

interface OutboundTemplateDialogProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  /** Undefined for a new template. */
  readonly template: Template | undefined;
  /** All templates. */
  readonly templates: readonly Template[];
  readonly onClose: () => void;
}

/** The fields of a template, with a preview. */
export const OutboundTemplateDialog = ({
  template,
  templates,
  change,
  reread,
  onClose,
}: OutboundTemplateDialogProps) => {
  const others = templates.filter((other) => template === undefined || removalName(other) !== removalName(template));
  const valuesIn = (all: readonly Template[] = [], key: Parameters<typeof removalName>[0]) => {
    const found = all.find((each) => removalName(each) === removalName(key));
    return found && outboundTemplateValuesOf(found);
  };
  const form = useEntryForm({
    keptAt: `outbound template ${template ? removalName(template) : "new"}`,
    initial: template ? outboundTemplateValuesOf(template) : emptyOutboundTemplate,
    isNew: template === undefined,
    present: template && valuesIn(templates, template),
    reread: async (values) => valuesIn((await reread()).templates, outboundTemplateSettingOf(values)),
    check: (values) => outboundTemplateProblemsOf(values, others),
    labelOf: (member) => LABELS[member as keyof OutboundTemplateValues],
    async save(values) {
      const setting = outboundTemplateSettingOf(values);
      await change({ templates: [setting] });
      showToast(texts.saved(setting.name));
      onClose();
    },
  });
  return (
    <FormDialog title={template ? texts.editTitle : texts.newTitle} isWide form={form} onClose={onClose}>
      <Identity form={form} isFixed={template !== undefined} />
      <Select
        label={texts.status}
        choices={STATUSES.map((id) => ({ id, label: texts[id] }))}
        value={form.values.status}
        onChange={(id) => STATUSES.filter((each) => each === id).forEach((status) => form.change({ status }))}
      />
      <Content form={form} />
      <OutboundTemplatePreview values={form.values} />
    </FormDialog>
  );
};
