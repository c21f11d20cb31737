import type { SignedIdentityRules, SigningKey } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Switch } from "../../ui/checkbox.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { errorText } from "../../ui/error-text.ts";
import { showToast } from "../../ui/toast-store.ts";
import { isAtLeast } from "../../workspace/roles.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import shared from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { Section } from "../section.tsx";
import styles from "./messenger.module.css";
import { KeyDialog } from "./key-dialog.tsx";
import { signingMessages as texts } from "./signing-messages.ts";
import { signingQuery } from "./signing-query.ts";

const COLUMNS: readonly Column<SigningKey>[] = [
  {
    id: "name",
    label: texts.name,
    cell: ({ id, name }) => (
      <>
        {name}
        <span className={shared.detail}>{id}</span>
      </>
    ),
  },
  { id: "algorithm", label: texts.algorithm, cell: ({ algorithm }) => algorithm },
  {
    id: "created",
    label: texts.created,
    cell: ({ created_time, created_by }) => (
      <>
        {formatDateTime(created_time)}
        {created_by !== undefined && <span className={shared.detail}>{created_by}</span>}
      </>
    ),
  },
  {
    id: "used",
    label: texts.lastUsed,
    cell: ({ last_used_time }) => (last_used_time === undefined ? texts.never : formatDateTime(last_used_time)),
  },
];

interface RulesProps {
  readonly rules: SignedIdentityRules;
  readonly hasKey: boolean;
  readonly mayChange: boolean;
  readonly save: (rules: SignedIdentityRules) => Promise<void>;
}

/** What visitors need. Requiring a signature is confirmed, since it shuts out the visitors of pages that don't sign yet. */
const Rules = ({ rules, hasKey, mayChange, save }: RulesProps) => {
  const [isAsking, setAsking] = useState(false);
  const { is_required, is_hidden_until_signed } = rules;
  const saveShown = (next: SignedIdentityRules): void =>
    void save(next).catch((error: unknown) => showToast(errorText(error), { tone: "error" }));
  return (
    <div className={styles.form}>
      <Switch
        isSelected={is_required}
        isDisabled={!mayChange || (!hasKey && !is_required)}
        onChange={(isOn) => (isOn ? setAsking(true) : saveShown({ is_required: false, is_hidden_until_signed: false }))}
      >
        {texts.required}
        <span className={shared.detail}>{is_required ? texts.requiredOn : texts.requiredOff}</span>
      </Switch>
      <Switch
        isSelected={is_hidden_until_signed}
        isDisabled={!mayChange || !is_required}
        onChange={(isOn) => saveShown({ is_required, is_hidden_until_signed: isOn })}
      >
        {texts.hidden}
        <span className={shared.detail}>{texts.hiddenHelp}</span>
      </Switch>
      {isAsking && (
        <ConfirmDialog
          title={texts.requireTitle}
          text={texts.requireText}
          action={texts.require}
          run={() => save({ is_required: true, is_hidden_until_signed })}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
};

/** The keys by which sites sign who their visitors are, and whether visitors need a signature. */
export const SignedIdentitiesSection = () => {
  const queries = useQueryClient();
  const { account, agent } = useWorkspace();
  const query = useQuery(signingQuery(account.name));
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<SigningKey>();
  const mayChange = isAtLeast(agent.role, "ACCOUNT_ADMIN");
  const params = { account: account.name };
  const reread = () => queries.invalidateQueries({ queryKey: signingQuery(account.name).queryKey });

  const remove = async ({ id, name }: SigningKey): Promise<void> => {
    await adminCalls.deleteSigningKey({ params: { ...params, key_id: id } });
    await reread();
    showToast(texts.removed(name));
  };
  const save = async (body: SignedIdentityRules): Promise<void> => {
    await adminCalls.putSignedIdentityRules({ params, body });
    await reread();
    showToast(body.is_required ? texts.requiredToast : texts.optionalToast);
  };
  const removeButton = (key: SigningKey) => (
    <IconButton icon="trash" label={texts.remove(key.name)} onPress={() => setRemoved(key)} />
  );
  return (
    <Section isCard title={texts.title} intro={texts.help}>
      {!mayChange && <p className={shared.muted}>{texts.onlyOwner}</p>}
      <LoadState query={query}>
        {({ keys, rules }) => (
          <>
            <div className={styles.keys}>
              <RecordTable
                label={texts.keys}
                columns={COLUMNS}
                records={keys}
                idOf={({ id }) => id}
                actions={mayChange ? removeButton : undefined}
                empty={<p>{texts.none}</p>}
              />
              {mayChange && (
                <Button icon="plus" onPress={() => setAdding(true)}>
                  {texts.add}
                </Button>
              )}
            </div>
            <Rules rules={rules} hasKey={keys.length > 0} mayChange={mayChange} save={save} />
          </>
        )}
      </LoadState>
      {isAdding && <KeyDialog onClose={() => setAdding(false)} />}
      {removed && (
        <ConfirmDialog
          title={texts.removeTitle(removed.name)}
          text={texts.removeText}
          action={texts.remove(removed.name)}
          run={() => remove(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Section>
  );
};
