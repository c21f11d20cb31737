import type { IdentityProvider } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { isAtLeast } from "../../workspace/roles.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import styles from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyField } from "../copy-field.tsx";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import own from "./identity-providers.module.css";
import { providerMessages as texts } from "./messages.ts";
import { ProviderDialog } from "./provider-dialog.tsx";
import { providersQuery } from "./providers-query.ts";

const COLUMNS: readonly Column<IdentityProvider>[] = [
  {
    id: "label",
    label: texts.label,
    cell: ({ label, name }) => (
      <>
        {label}
        <span className={styles.detail}>{name}</span>
      </>
    ),
  },
  {
    id: "issuer",
    label: texts.issuer,
    cell: ({ issuer, client_id, created_time }) => (
      <div className={own.issuer}>
        {issuer}
        <span className={styles.detail}>{`${texts.clientId}: ${client_id}`}</span>
        <span className={styles.detail}>{`${texts.created}: ${formatDateTime(created_time)}`}</span>
      </div>
    ),
  },
  {
    id: "callback",
    label: texts.callback,
    cell: ({ callback_url, label }) => (
      <CopyField label={`${texts.callback}: ${label}`} isLabelHidden value={callback_url} />
    ),
  },
];

/** The OpenID Connect providers by which agents can sign in. */
export const IdentityProvidersPage = () => {
  const queries = useQueryClient();
  const { account, agent } = useWorkspace();
  const query = useQuery(providersQuery(account.name));
  /** The provider whose dialog is open; "new" for a new provider. */
  const [opened, setOpened] = useState<IdentityProvider | "new">();
  const [removed, setRemoved] = useState<IdentityProvider>();
  const mayChange = isAtLeast(agent.role, "ACCOUNT_ADMIN");
  const providers = query.data?.identity_providers ?? [];

  const remove = async ({ name, label }: IdentityProvider): Promise<void> => {
    await adminCalls.deleteIdentityProvider({ params: { account: account.name, provider: name } });
    await queries.invalidateQueries({ queryKey: providersQuery(account.name).queryKey });
    showToast(texts.removed(label));
  };
  const actions: Column<IdentityProvider> = {
    id: "actions",
    label: texts.actions,
    isAction: true,
    cell: (provider) => (
      <>
        <IconButton icon="edit" label={texts.change(provider.label)} onPress={() => setOpened(provider)} />
        <IconButton icon="trash" label={texts.remove(provider.label)} onPress={() => setRemoved(provider)} />
      </>
    ),
  };
  return (
    <div className={styles.page}>
      <PageHeader
        title={administrationMessages.identityProviders}
        intro={administrationMessages.identityProvidersIntro}
      >
        {mayChange && (
          <Button variant="primary" icon="plus" isDisabled={!query.data} onPress={() => setOpened("new")}>
            {texts.add}
          </Button>
        )}
      </PageHeader>
      <p className={styles.notice}>{mayChange ? texts.warning : texts.onlyOwner}</p>
      <LoadState query={query}>
        {() =>
          providers.length === 0 ? (
            <EmptyState icon="shield" title={texts.none}>
              <p>{texts.noneText}</p>
            </EmptyState>
          ) : (
            <RecordTable
              label={administrationMessages.identityProviders}
              columns={mayChange ? [...COLUMNS, actions] : COLUMNS}
              records={providers}
              idOf={({ name }) => name}
            />
          )
        }
      </LoadState>
      {opened !== undefined && (
        <ProviderDialog
          provider={opened === "new" ? undefined : opened}
          others={providers.filter((each) => each !== opened).map(({ name }) => name)}
          callbackTemplate={query.data?.callback_url_template}
          onClose={() => setOpened(undefined)}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeTitle(removed.label)}
          text={texts.removeText}
          action={texts.remove(removed.label)}
          run={() => remove(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </div>
  );
};
