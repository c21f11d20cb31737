import type { AccessToken } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Switch } from "../../ui/checkbox.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { isAtLeast } from "../../workspace/roles.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import styles from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ADMIN_VALUES } from "../contract-values.ts";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { GenerateDialog } from "./generate-dialog.tsx";
import { tokenMessages as texts } from "./messages.ts";
import { tokenState } from "./token-values.ts";
import { tokensQuery } from "./tokens-query.ts";

const TONES = { valid: "success", expired: "neutral", revoked: "danger" } as const;

const Permissions = ({ permissions }: Pick<AccessToken, "permissions">) =>
  permissions.length === ADMIN_VALUES.permissions.length ? (
    texts.everything
  ) : (
    <span title={permissions.join("\n")}>
      {permissions.length <= 3 ? permissions.join(", ") : texts.chosen(permissions.length)}
    </span>
  );

const COLUMNS: readonly Column<AccessToken>[] = [
  { id: "name", label: texts.name, cell: ({ name }) => name },
  { id: "permissions", label: texts.permissions, cell: Permissions },
  { id: "created", label: texts.created, cell: ({ created_time }) => formatDateTime(created_time) },
  { id: "expires", label: texts.expires, cell: ({ expires_time }) => formatDateTime(expires_time) },
  {
    id: "used",
    label: texts.lastUsed,
    cell: ({ last_used_time }) => (last_used_time === undefined ? texts.never : formatDateTime(last_used_time)),
  },
  {
    id: "state",
    label: texts.state,
    cell: (token) => {
      const state = tokenState(token, Date.now());
      return <Badge tone={TONES[state]}>{texts[state]}</Badge>;
    },
  },
];

/** API tokens with their holders, permissions and last use. */
export const TokensPage = () => {
  const queries = useQueryClient();
  const { account, agent } = useWorkspace();
  const query = useQuery(tokensQuery(account.name));
  const [isGenerating, setGenerating] = useState(false);
  const [revoked, setRevoked] = useState<AccessToken>();
  const [isEndedShown, setEndedShown] = useState(false);
  const mayChange = isAtLeast(agent.role, "ACCOUNT_ADMIN");

  const revoke = async ({ id, name }: AccessToken): Promise<void> => {
    await adminCalls.revokeToken({ params: { token_id: id } });
    await queries.invalidateQueries({ queryKey: tokensQuery(account.name).queryKey });
    showToast(texts.revokedToast(name));
  };
  const revokeButton = (token: AccessToken) => (
    <Button isSmall variant="danger" aria-label={texts.revokeNamed(token.name)} onPress={() => setRevoked(token)}>
      {texts.revoke}
    </Button>
  );
  const generate = mayChange && (
    <Button variant="primary" icon="plus" onPress={() => setGenerating(true)}>
      {texts.generate}
    </Button>
  );
  return (
    <div className={styles.page}>
      <PageHeader title={administrationMessages.tokens} intro={administrationMessages.tokensIntro}>
        {generate}
      </PageHeader>
      {!mayChange && <p className={styles.notice}>{texts.onlyOwner}</p>}
      <LoadState query={query}>
        {(tokens) => {
          const isValid = (token: AccessToken): boolean => tokenState(token, Date.now()) === "valid";
          return (
            <>
              {!tokens.every(isValid) && (
                <div className={styles.tools}>
                  <Switch isSelected={isEndedShown} onChange={setEndedShown}>
                    {texts.showEnded}
                  </Switch>
                </div>
              )}
              <RecordTable
                label={administrationMessages.tokens}
                columns={COLUMNS}
                records={isEndedShown ? tokens : tokens.filter(isValid)}
                idOf={({ id }) => id}
                actions={mayChange ? (token) => isValid(token) && revokeButton(token) : undefined}
                empty={
                  tokens.length === 0 ? (
                    <EmptyState icon="key" title={texts.none} text={texts.noneText} />
                  ) : (
                    <p className={styles.muted}>{texts.noValid}</p>
                  )
                }
              />
            </>
          );
        }}
      </LoadState>
      {isGenerating && <GenerateDialog onClose={() => setGenerating(false)} />}
      {revoked && (
        <ConfirmDialog
          title={texts.revokeTitle(revoked.name)}
          text={texts.revokeText}
          action={texts.revoke}
          run={() => revoke(revoked)}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </div>
  );
};
