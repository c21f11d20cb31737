import type { Role } from "@parley/contract";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { Select } from "../../ui/select.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import { SchemaFields, type FieldProps } from "../../forms/schema-fields.tsx";
import type { FormState } from "../../forms/use-form.ts";
import { agentForm, mayGive, type AgentValues } from "./agent-values.ts";
import styles from "./agents.module.css";
import { agentMessages as texts } from "./messages.ts";

interface AgentFieldsProps {
  readonly form: FormState<AgentValues>;
  /** All roles of the account. */
  readonly roles: readonly Role[];
  /** The agent is the session's own, whose role and e-mail address another admin changes. */
  readonly isOwn: boolean;
}

/** The fields of an agent, old or new. Roles that are higher than the session's are not offered. */
export const AgentFields = ({ form, roles, isOwn }: AgentFieldsProps) => {
  const { agent: session, groups } = useWorkspace();
  const fields = { form: agentForm(isOwn), state: form };
  const roleField = ({ value, onChange }: FieldProps<AgentValues, string>) => (
    <Select
      label={texts.role}
      help={isOwn ? texts.ownRole : texts.roleHelp}
      choices={roles.filter(({ id }) => mayGive(session, id)).map(({ id, name }) => ({ id, label: name }))}
      value={value}
      onChange={onChange}
      isDisabled={isOwn}
    />
  );
  const groupsField = ({ value, onChange, problem }: FieldProps<AgentValues, readonly string[]>) =>
    groups.length > 0 && (
      <FieldGroup label={texts.groups} help={texts.groupsHelp} error={problem}>
        <div className={styles.groups}>
          {groups.map(({ id, name }) => (
            <Checkbox
              key={id}
              isSelected={value.includes(id)}
              onChange={(isChosen) => onChange(isChosen ? [...value, id] : value.filter((each) => each !== id))}
            >
              {name}
            </Checkbox>
          ))}
        </div>
      </FieldGroup>
    );
  return (
    <>
      <SchemaFields {...fields} names={["email"]} />
      <div className={styles.pair}>
        <SchemaFields {...fields} names={["first_name", "last_name"]} />
      </div>
      <SchemaFields
        {...fields}
        names={["phone", "role_id", "groups"]}
        widgets={{ role_id: roleField, groups: groupsField }}
      />
    </>
  );
};
