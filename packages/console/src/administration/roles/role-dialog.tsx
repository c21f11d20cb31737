import type { RoleSetting } from "@parley/contract";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useForm } from "../use-form.ts";
import { roleMessages as texts } from "./messages.ts";
import { roleProblemsOf, roleSettingOf, roleValuesOf } from "./role-values.ts";

interface RoleDialogProps {
  /** Undefined: a new one. */
  readonly role: RoleSetting | undefined;
  /** Names of the other roles. */
  readonly others: readonly string[];
  readonly save: (role: RoleSetting) => Promise<void>;
  readonly onClose: () => void;
}

/** The fields of a custom role. */
export const RoleDialog = ({ role, others, save, onClose }: RoleDialogProps) => {
  const form = useForm({
    initial: roleValuesOf(role),
    check: (values) => roleProblemsOf(values, others),
    async save(values) {
      await save(roleSettingOf(role?.id, values));
      showToast(texts.saved(values.name.trim()));
      onClose();
    },
  });
  const { values, problems } = form;
  return (
    <FormDialog title={role ? texts.changeRole : texts.newRole} form={form} onClose={onClose}>
      <TextField
        label={texts.name}
        value={values.name}
        onChange={(name) => form.change({ name })}
        validationBehavior="aria"
        error={problems.name}
        autoFocus
      />
      <TextField
        label={texts.description}
        help={texts.descriptionHelp}
        lines={3}
        value={values.description}
        onChange={(description) => form.change({ description })}
      />
    </FormDialog>
  );
};
