import type { Permission } from "@parley/contract";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import field from "../../ui/field.module.css";
import { ADMIN_VALUES } from "../contract-values.ts";
import { tokenMessages as texts } from "./messages.ts";
import { permissionGroups, readingPermissions } from "./token-values.ts";
import styles from "./tokens.module.css";

interface PermissionChoiceProps {
  readonly value: readonly Permission[];
  readonly onChange: (permissions: readonly Permission[]) => void;
  readonly error?: string | undefined;
}

const ALL = ADMIN_VALUES.permissions;
const GROUPS = permissionGroups(ALL);

/** Checkboxes of all permissions, by resource, with their names in the documentation of the API. */
export const PermissionChoice = ({ value, onChange, error }: PermissionChoiceProps) => {
  const choose = (permission: Permission, isChosen: boolean): void =>
    onChange(ALL.filter((each) => (each === permission ? isChosen : value.includes(each))));
  return (
    <FieldGroup label={texts.permissions} help={texts.permissionsHelp} error={error}>
      <div className={styles.presets}>
        <Button isSmall onPress={() => onChange(ALL)}>
          {texts.all}
        </Button>
        <Button isSmall onPress={() => onChange(readingPermissions(ALL))}>
          {texts.reading}
        </Button>
        <Button isSmall onPress={() => onChange([])}>
          {texts.noPermissions}
        </Button>
        <span role="status" className={field.help}>
          {texts.chosen(value.length)}
        </span>
      </div>
      <div className={styles.groups}>
        {GROUPS.map(({ resource, permissions }) => (
          <div key={resource} role="group" aria-label={resource} className={styles.permissionGroup}>
            {permissions.map((permission) => (
              <Checkbox
                key={permission}
                isSelected={value.includes(permission)}
                onChange={(isChosen) => choose(permission, isChosen)}
              >
                <code>{permission}</code>
              </Checkbox>
            ))}
          </div>
        ))}
      </div>
    </FieldGroup>
  );
};
