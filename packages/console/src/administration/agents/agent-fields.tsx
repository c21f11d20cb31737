import type { Role } from "@parley/contract";
import { Checkbox } from "../../ui/checkbox.tsx";
import field from "../../ui/field.module.css";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import type { FormState } from "../use-form.ts";
import { mayGive, type AgentValues } from "./agent-values.ts";
import styles from "./agents.module.css";
import { agentMessages as texts } from "./messages.ts";

interface AgentFieldsProps {
  readonly form: FormState<AgentValues>;
  /** All roles of the account. */
  readonly roles: readonly Role[];
  /** The agent is the session's own, whose role and e-mail address another admin changes. */
  readonly isOwn: boolean;
}

type FieldsProps = Pick<AgentFieldsProps, "form">;

const GroupChoice = ({ form }: FieldsProps) => {
  const { values, problems } = form;
  const { groups } = useWorkspace();
  if (groups.length === 0) return null;
  const choose = (id: string, isChosen: boolean): void =>
    form.change({ groups: isChosen ? [...values.groups, id] : values.groups.filter((each) => each !== id) });
  return (
    <fieldset className={field.group}>
      <legend className={field.label}>{texts.groups}</legend>
      <p className={field.help}>{texts.groupsHelp}</p>
      <div className={styles.groups}>
        {groups.map(({ id, name }) => (
          <Checkbox
            key={id}
            isSelected={values.groups.includes(id)}
            onChange={(isChosen: boolean) => choose(id, isChosen)}
          >
            {name}
          </Checkbox>
        ))}
      </div>
      {problems.groups !== undefined && (
        <p role="alert" className={field.error}>
          {problems.groups}
        </p>
      )}
    </fieldset>
  );
};

const NameFields = ({ form }: FieldsProps) => (
  <div className={styles.pair}>
    <TextField
      label={texts.firstName}
      maxLength={255}
      autoComplete="off"
      value={form.values.firstName}
      onChange={(firstName) => form.change({ firstName })}
    />
    <TextField
      label={texts.lastName}
      maxLength={255}
      autoComplete="off"
      value={form.values.lastName}
      onChange={(lastName) => form.change({ lastName })}
    />
  </div>
);

/** The fields of an agent, old or new. Roles that are higher than the session's are not offered. */
export const AgentFields = ({ form, roles, isOwn }: AgentFieldsProps) => {
  const { agent: session } = useWorkspace();
  const { values, problems } = form;
  return (
    <>
      <TextField
        label={texts.email}
        inputMode="email"
        help={isOwn ? texts.ownEmail : texts.emailHelp}
        isReadOnly={isOwn}
        autoComplete="off"
        value={values.email}
        onChange={(email) => form.change({ email })}
        validationBehavior="aria"
        error={problems.email}
        autoFocus
      />
      <NameFields form={form} />
      <TextField
        label={texts.phone}
        inputMode="tel"
        maxLength={255}
        autoComplete="off"
        value={values.phone}
        onChange={(phone) => form.change({ phone })}
      />
      <div className={field.field}>
        <Select
          label={texts.role}
          choices={roles.filter(({ id }) => mayGive(session, id)).map(({ id, name }) => ({ id, label: name }))}
          value={values.roleId}
          onChange={(roleId) => form.change({ roleId })}
          isDisabled={isOwn}
        />
        <p className={field.help}>{isOwn ? texts.ownRole : texts.roleHelp}</p>
      </div>
      <GroupChoice form={form} />
    </>
  );
};
