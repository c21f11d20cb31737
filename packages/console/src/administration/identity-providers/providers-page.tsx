import type { IdentityProvider } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { formatDateTime } from "../../i18n/format.ts";
import { isAtLeast } from "../../workspace/roles.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import styles from "../administration.module.css";
import { CopyField } from "../copy-field.tsx";
import { administrationMessages } from "../messages.ts";
import { RecordPage } from "../record-page.tsx";
import type { Column } from "../record-table.tsx";
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
  const mayChange = isAtLeast(agent.role, "ACCOUNT_ADMIN");
  return (
    <RecordPage
      title={administrationMessages.identityProviders}
      intro={administrationMessages.identityProvidersIntro}
      icon="shield"
      texts={texts}
      query={query}
      recordsOf={({ identity_providers }) => identity_providers}
      reread={async () => (await query.refetch({ throwOnError: true })).data?.identity_providers ?? []}
      idOf={({ name }) => name}
      nameOf={({ label }) => label}
      columns={COLUMNS}
      isChangeable={mayChange}
      above={() => <p className={styles.notice}>{mayChange ? texts.warning : texts.onlyOwner}</p>}
      remove={async ({ name }) => {
        await adminCalls.deleteIdentityProvider({ params: { account: account.name, provider: name } });
        await queries.invalidateQueries({ queryKey: providersQuery(account.name).queryKey });
      }}
      dialog={(provider, { identity_providers, callback_url_template }, onClose) => (
        <ProviderDialog
          provider={provider}
          providers={identity_providers}
          callbackTemplate={callback_url_template}
          onClose={onClose}
        />
      )}
    />
  );
};
