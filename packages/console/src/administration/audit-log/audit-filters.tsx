import type { AuditAction } from "@parley/contract";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Select, type Choice } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import { actionMessages } from "./action-messages.ts";
import { filterProblem, isFiltered, NO_FILTER, type AuditFilterValues } from "./audit-filter.ts";
import styles from "./audit-log.module.css";
import { AUDIT_VALUES } from "./contract-values.ts";
import { auditMessages as texts } from "./messages.ts";

const ACTIONS: readonly Choice<AuditAction | "">[] = [
  { id: "", label: texts.anyAction },
  ...AUDIT_VALUES.actions.map((id) => ({ id, label: actionMessages[id] })),
];
const TYPES = [
  { id: "token", label: texts.tokens },
  { id: "operator", label: texts.operator },
  { id: "platform", label: texts.platform },
  { id: "system", label: texts.system },
];

interface AuditFiltersProps {
  readonly filter: AuditFilterValues;
  readonly onChange: (filter: AuditFilterValues) => void;
}

/** The filters of the audit log. They take effect when they are applied. */
export const AuditFilters = ({ filter, onChange }: AuditFiltersProps) => {
  const { agents } = useWorkspace();
  const [values, setValues] = useState(filter);
  const change = (next: Partial<AuditFilterValues>): void => setValues((before) => ({ ...before, ...next }));
  const problem = filterProblem(values);
  const actors = [
    { id: "", label: texts.anyone },
    ...agents.map((agent) => ({ id: agent.id, label: agentName(agent) })),
    ...TYPES,
  ];
  return (
    <form
      role="search"
      aria-label={texts.what}
      className={styles.filters}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined) onChange(values);
      }}
    >
      <TextField label={texts.from} type="date" value={values.from} onChange={(from) => change({ from })} />
      <TextField
        label={texts.until}
        type="date"
        value={values.until}
        onChange={(until) => change({ until })}
        error={problem}
      />
      <Select label={texts.who} choices={actors} value={values.actor} onChange={(actor) => change({ actor })} />
      <Select label={texts.what} choices={ACTIONS} value={values.action} onChange={(action) => change({ action })} />
      <TextField
        label={texts.about}
        help={texts.aboutHelp}
        value={values.subject}
        maxLength={255}
        onChange={(subject) => change({ subject })}
      />
      <div className={styles.buttons}>
        <Button variant="primary" type="submit">
          {texts.apply}
        </Button>
        {(isFiltered(filter) || isFiltered(values)) && (
          <Button
            onPress={() => {
              setValues(NO_FILTER);
              onChange(NO_FILTER);
            }}
          >
            {texts.clear}
          </Button>
        )}
      </div>
    </form>
  );
};
