import type { StatusSetting } from "@parley/contract";
import field from "../../ui/field.module.css";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useForm } from "../use-form.ts";
import { roleMessages as texts } from "./messages.ts";
import { AVAILABILITIES, statusProblemsOf, statusSettingOf, statusValuesOf } from "./role-values.ts";

interface StatusDialogProps {
  /** Undefined: a new one. */
  readonly status: StatusSetting | undefined;
  /** All statuses. */
  readonly statuses: readonly StatusSetting[];
  readonly save: (status: StatusSetting) => Promise<void>;
  readonly onClose: () => void;
}

/** The fields of a status. */
export const StatusDialog = ({ status, statuses, save, onClose }: StatusDialogProps) => {
  const form = useForm({
    initial: statusValuesOf(status),
    check: (values) => statusProblemsOf(values, status, statuses),
    async save(values) {
      await save(statusSettingOf(status?.id, values));
      showToast(texts.saved(values.name.trim()));
      onClose();
    },
  });
  const { values, problems } = form;
  return (
    <FormDialog title={status ? texts.changeStatus : texts.newStatus} form={form} onClose={onClose}>
      <TextField
        label={texts.name}
        value={values.name}
        onChange={(name) => form.change({ name })}
        validationBehavior="aria"
        error={problems.name}
        autoFocus
      />
      <div className={field.field}>
        <Select
          label={texts.availability}
          choices={AVAILABILITIES.map((id) => ({ id, label: texts[id] }))}
          value={values.availability}
          onChange={(id) =>
            AVAILABILITIES.filter((each) => each === id).forEach((availability) => form.change({ availability }))
          }
          error={problems.availability}
        />
        <p className={field.help}>
          {values.availability === "AVAILABLE" ? texts.availableHelp : texts.unavailableHelp}
        </p>
      </div>
    </FormDialog>
  );
};
