import type { FieldSetting } from "@parley/contract";
import { Checkbox } from "../../ui/checkbox.tsx";
import help from "../../ui/field.module.css";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { changedSetting } from "../entry-merge.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import { ChoicesEditor } from "./choices-editor.tsx";
import {
  emptyField,
  FIELD_TYPES,
  hasChoices,
  nameFor,
  PRIORITY,
  fieldProblemsOf,
  fieldSettingOf,
  fieldValuesOf,
  type FieldValues,
} from "./field-values.ts";
import { fieldMessages as texts } from "./messages.ts";

const LABELS: Readonly<Record<keyof FieldValues, string>> = {
  label: texts.label,
  name: texts.name,
  type: texts.type,
  isRequired: texts.required,
  isEditable: texts.editable,
  choices: texts.choices,
};

interface FieldDialogProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  /** Undefined for a new property. */
  readonly field: FieldSetting | undefined;
  /** All fields. */
  readonly fields: readonly FieldSetting[];
  readonly onClose: () => void;
}

/** The fields of a form for a conversation property. */
export const FieldDialog = ({ field, fields, change, reread, onClose }: FieldDialogProps) => {
  const taken = fields.filter(({ name }) => name !== field?.name).map(({ name }) => name);
  const valuesIn = (list: readonly FieldSetting[] = [], wanted = ""): FieldValues | undefined => {
    const found = list.find(({ name }) => name === wanted);
    return found && fieldValuesOf(found);
  };
  const form = useEntryForm({
    keptAt: `conversation property ${field?.name ?? "new"}`,
    initial: field ? fieldValuesOf(field) : emptyField,
    isNew: field === undefined,
    present: field && valuesIn(fields, field.name),
    reread: async (values) => valuesIn((await reread()).fields, fieldSettingOf(field, values, taken).name),
    check: (values) => fieldProblemsOf(values, taken),
    labelOf: (member) => LABELS[member as keyof FieldValues],
    async save(values, present) {
      const setting = fieldSettingOf(field, values, taken);
      const changed = changedSetting(present && fieldSettingOf(field, present, taken), setting, ["id", "name"]);
      await change({ fields: [changed], prune: ["choices"] });
      showToast(texts.saved(values.label.trim()));
      onClose();
    },
  });
  const { values, problems } = form;
  const isPriority = field?.name === PRIORITY;
  const shownName = values.name || (values.label.trim() === "" ? "" : nameFor(values.label, taken));
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
        value={shownName}
        onChange={(name) => form.change({ name })}
        isReadOnly={field !== undefined}
        validationBehavior="aria"
        error={problems.name}
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
