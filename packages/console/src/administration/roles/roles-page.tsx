import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "../../state/effects.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { useAccountDocument, type AccountConfigurationState } from "../account-document.ts";
import styles from "../administration.module.css";
import { agentsQuery, rolesQuery } from "../agents/agents-query.ts";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RolesSection } from "./roles-section.tsx";
import { StatusesSection } from "./statuses-section.tsx";

/** The roles of agents, and the statuses by which agents are available. */
export const RolesPage = () => {
  const { account } = useWorkspace();
  const document = useAccountDocument();
  const roles = useQuery(rolesQuery(account.name));
  // The document has custom roles only: the others are read whenever it is.
  const { refetch } = roles;
  useEffect(() => void refetch({ cancelRefetch: false }), [document.query.dataUpdatedAt, refetch]);
  const { data: agents } = useQuery(agentsQuery(account.name));
  const queries = useQueryClient();
  // Agents contain the names of their role and status, and the availability.
  const change: AccountConfigurationState["change"] = async (part) => {
    await document.change(part);
    await queries.invalidateQueries({ queryKey: agentsQuery(account.name).queryKey });
  };
  return (
    <div className={styles.page}>
      <PageHeader title={administrationMessages.roles} intro={administrationMessages.rolesIntro} />
      <RolesSection
        query={roles}
        reread={async () => (await roles.refetch({ throwOnError: true })).data ?? []}
        agents={agents}
        change={change}
        remove={document.remove}
      />
      <StatusesSection account={{ ...document, change }} agents={agents} />
    </div>
  );
};
