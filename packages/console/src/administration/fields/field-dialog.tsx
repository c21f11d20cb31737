import type { FieldSetting } from "@parley/contract";
import { Checkbox } from "../../ui/checkbox.tsx";
import help from "../../ui/field.module.css";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useForm } from "../use-form.ts";
import { ChoicesEditor } from "./choices-editor.tsx";
import {
  emptyField,
  FIELD_TYPES,
  hasChoices,
  nameFor,
  PRIORITY,
  problemsOf,
  settingOf,
  valuesOf,
} from "./field-values.ts";
import { fieldMessages as texts } from "./messages.ts";

interface FieldDialogProps extends Pick<AccountConfigurationState, "change"> {
  /** Undefined: a new one. */
  readonly field: FieldSetting | undefined;
  /** All fields. */
  readonly fields: readonly FieldSetting[];
  readonly onClose: () => void;
}

/** The fields of a form for a conversation property. */
export const FieldDialog = ({ field, fields, change, onClose }: FieldDialogProps) => {
  const taken = fields.map(({ name }) => name);
  const form = useForm({
    initial: field ? valuesOf(field) : emptyField,
    check: problemsOf,
    async save(values) {
      await change({ fields: [settingOf(field, values, taken)], prune: ["choices"] });
      showToast(texts.saved(values.label.trim()));
      onClose();
    },
  });
  const { values, problems } = form;
  const isPriority = field?.name === PRIORITY;
  return (
    <FormDialog title={field ? texts.editTitle : texts.newTitle} form={form} onClose={onClose}>
      <TextField
        label={texts.label}
        help={texts.labelHelp}
        value={values.label}
        onChange={(label) => form.change({ label })}
        validationBehavior="aria"
        error={problems.label}
        autoFocus
      />
      <TextField
        label={texts.name}
        help={texts.nameHelp}
        value={field?.name ?? (values.label.trim() === "" ? "" : nameFor(values.label, taken))}
        isReadOnly
      />
      <div className={help.field}>
        <Select
          label={texts.type}
          choices={FIELD_TYPES.map((type) => ({ id: type, label: texts[type] }))}
          value={values.type}
          isDisabled={field !== undefined}
          onChange={(id) => FIELD_TYPES.filter((type) => type === id).forEach((type) => form.change({ type }))}
        />
        <p className={help.help}>{field === undefined ? texts.typeHelp : texts.typeFixed}</p>
      </div>
      {hasChoices(values.type) && !isPriority && (
        <ChoicesEditor
          choices={values.choices}
          onChange={(choices) => form.change({ choices })}
          error={problems.choices}
        />
      )}
      {isPriority && <p className={help.help}>{texts.priorityHelp}</p>}
      <div>
        <Checkbox isSelected={values.isRequired} onChange={(isRequired) => form.change({ isRequired })}>
          {texts.required}
        </Checkbox>
        <p className={help.help}>{texts.requiredHelp}</p>
      </div>
      <div>
        <Checkbox isSelected={values.isEditable} onChange={(isEditable) => form.change({ isEditable })}>
          {texts.editable}
        </Checkbox>
        <p className={help.help}>{texts.editableHelp}</p>
      </div>
    </FormDialog>
  );
};
