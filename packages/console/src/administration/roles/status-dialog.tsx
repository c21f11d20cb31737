import type { StatusSetting } from "@parley/contract";
import field from "../../ui/field.module.css";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import { changedSetting, presentEntry } from "../entry-merge.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import { roleMessages as texts } from "./messages.ts";
import { AVAILABILITIES, statusProblemsOf, statusSettingOf, statusValuesOf, type StatusValues } from "./role-values.ts";

const LABELS: Readonly<Record<keyof StatusValues, string>> = { name: texts.name, availability: texts.availability };

interface StatusDialogProps extends Pick<AccountConfigurationState, "reread"> {
  /** Undefined for a new status. */
  readonly status: StatusSetting | undefined;
  /** All statuses. */
  readonly statuses: readonly StatusSetting[];
  readonly save: (status: StatusSetting) => Promise<void>;
  readonly onClose: () => void;
}

/** The fields of a status. */
export const StatusDialog = ({ status, statuses, reread, save, onClose }: StatusDialogProps) => {
  /** The status in a list; for a new one the status that has its name. */
  const valuesIn = (list: readonly StatusSetting[] | undefined, name = ""): StatusValues | undefined => {
    const found = presentEntry(list, status, name);
    return found && statusValuesOf(found);
  };
  const form = useEntryForm({
    keptAt: `status ${status?.id ?? "new"}`,
    initial: statusValuesOf(status),
    isNew: status === undefined,
    present: status && valuesIn(statuses),
    reread: async ({ name }) => valuesIn((await reread()).statuses, name),
    check: (values) => statusProblemsOf(values, status, statuses),
    labelOf: (member) => LABELS[member as keyof StatusValues],
    async save(values, present) {
      const before = present && statusSettingOf(status?.id, present);
      await save(changedSetting(before, statusSettingOf(status?.id, values), ["id", "name"]));
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
