import type { Role, RoleSetting } from "@parley/contract";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { changedSetting, presentEntry } from "../entry-merge.ts";
import { FormDialog } from "../form-dialog.tsx";
import { useEntryForm } from "../use-entry-form.ts";
import { roleMessages as texts } from "./messages.ts";
import { roleProblemsOf, roleSettingOf, roleValuesOf, type RoleValues } from "./role-values.ts";

const LABELS: Readonly<Record<keyof RoleValues, string>> = { name: texts.name, description: texts.description };

type ListedRole = Pick<Role, "id" | "name" | "description">;

interface RoleDialogProps {
  /** Undefined for a new role. */
  readonly role: ListedRole | undefined;
  /** All roles. */
  readonly roles: readonly ListedRole[];
  /** Reads all roles again. */
  readonly reread: () => Promise<readonly ListedRole[]>;
  readonly save: (role: RoleSetting) => Promise<void>;
  readonly onClose: () => void;
}

/** The fields of a custom role. */
export const RoleDialog = ({ role, roles, reread, save, onClose }: RoleDialogProps) => {
  const others = roles.filter(({ id }) => id !== role?.id).map(({ name }) => name);
  /** The role in a list; for a new one the role that has its name. */
  const valuesIn = (list: readonly ListedRole[], name = ""): RoleValues | undefined => {
    const found = presentEntry(list, role, name);
    return found && roleValuesOf(found);
  };
  const form = useEntryForm({
    keptAt: `role ${role?.id ?? "new"}`,
    initial: roleValuesOf(role),
    isNew: role === undefined,
    present: role && valuesIn(roles),
    reread: async ({ name }) => valuesIn(await reread(), name),
    check: (values) => roleProblemsOf(values, others),
    labelOf: (member) => LABELS[member as keyof RoleValues],
    async save(values, present) {
      const before = present && roleSettingOf(role?.id, present);
      await save(changedSetting(before, roleSettingOf(role?.id, values), ["id", "name"]));
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
        validationBehavior="aria"
        error={problems.description}
      />
    </FormDialog>
  );
};
