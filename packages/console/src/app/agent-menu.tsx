import { isProblemError } from "@parley/client/session";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { client } from "../session/session.ts";
import { PersonAvatar } from "../ui/avatar.tsx";
import { Menu, type MenuAction } from "../ui/menu.tsx";
import { showError } from "../ui/toast-store.ts";
import { agentName, useWorkspace, workspaceQuery } from "../workspace/workspace.ts";
import styles from "./agent-menu.module.css";
import { appMessages as texts } from "./messages.ts";
import { signOut } from "./sign-out.tsx";

/** The agent's own menu: status, profile, signing out. */
export const AgentMenu = () => {
  const queries = useQueryClient();
  const { agent, agents, agent_statuses } = useWorkspace();
  const own = agents.find(({ id }) => id === agent.agent_id);
  const name = agentName(own ?? agent);

  const changeStatus = async (id: string, statusName: string): Promise<void> => {
    const changed = await client.agents.updateAgentStatus({
      params: { agent_id: agent.agent_id },
      body: { agent_status: { id, name: statusName } },
    });
    queries.setQueryData(
      workspaceQuery.queryKey,
      (workspace) =>
        workspace && {
          ...workspace,
          agents: workspace.agents.map((each) =>
            each.id === agent.agent_id
              ? { ...each, availability_status: changed.availability_status, agent_status: { id, name: statusName } }
              : each,
          ),
        },
    );
  };

  const statuses = agent_statuses.map(({ id, name: statusName }): MenuAction => ({
    id: `status ${id}`,
    label: statusName,
    isSelected: own?.agent_status?.id === id,
    onAction: () =>
      void changeStatus(id, statusName).catch((error: unknown) => isProblemError(error) && showError(error)),
  }));
  const isAvailable = own?.availability_status === "AVAILABLE";
  return (
    <Menu
      label={texts.account}
      groups={[
        ...(statuses.length > 0 ? [{ title: texts.availability, actions: statuses }] : []),
        {
          title: name,
          actions: [
            { id: "profile", label: texts.profile, icon: "person", onAction: () => location.assign("/profile") },
            { id: "sign-out", label: texts.signOut, icon: "signOut", onAction: () => void signOut() },
          ],
        },
      ]}
    >
      <Button
        className={styles.button ?? ""}
        aria-label={`${texts.account}: ${name}, ${isAvailable ? texts.available : texts.unavailable}`}
      >
        <PersonAvatar name={name} url={own?.avatar_url} of={own && { agent_id: own.id }} />
        <span className={styles.dot} data-available={isAvailable} />
      </Button>
    </Menu>
  );
};
