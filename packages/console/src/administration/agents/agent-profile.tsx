import type { Agent, Role } from "@parley/contract";
import { useState } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { client } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { agentName, createNames, useWorkspace } from "../../workspace/workspace.ts";
import administration from "../administration.module.css";
import { agentPageMessages } from "./agent-page-messages.ts";
import { Facts, Section } from "../section.tsx";
import { useRereadAgents } from "./agents-query.ts";
import styles from "./agents.module.css";
import { ProfileDialog, WorkDialog } from "./edit-dialogs.tsx";
import { agentMessages as texts } from "./messages.ts";

interface AgentPartProps {
  readonly agent: Agent;
  /** Whether the session's role permits to change the agent. */
  readonly mayChange: boolean;
}

/** Name, address and rights of an agent. */
export const ProfileSection = ({ agent, roles, mayChange }: AgentPartProps & { readonly roles: readonly Role[] }) => {
  const names = createNames(useWorkspace());
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      isCard
      title={agentPageMessages.profile}
      action={
        mayChange && (
          <Button icon="edit" isSmall aria-label={agentPageMessages.changeProfile} onPress={() => setOpen(true)}>
            {agentPageMessages.change}
          </Button>
        )
      }
    >
      <Facts
        of={[
          [texts.email, agent.email],
          [texts.phone, agent.phone || agentPageMessages.notGiven],
          [texts.role, agent.role_name],
          [texts.groups, agent.groups.map(names.group).join(", ") || texts.noGroups],
        ]}
      />
      {isOpen && <ProfileDialog agent={agent} roles={roles} onClose={() => setOpen(false)} />}
    </Section>
  );
};

const StatusSelect = ({ agent }: { readonly agent: Agent }) => {
  const { agent_statuses: statuses } = useWorkspace();
  const reread = useRereadAgents();
  const change = async (id: string): Promise<void> => {
    const changed = await client.agents.updateAgentStatus({
      params: { agent_id: agent.id },
      body: { agent_status: { id } },
    });
    await reread();
    showToast(agentPageMessages.statusSaved(agentName(agent), changed.agent_status?.name ?? texts.noStatus));
  };
  return (
    <div className={styles.status}>
      <Select
        label={texts.status}
        isLabelHidden
        choices={statuses.map(({ id, name }) => ({ id, label: name }))}
        value={agent.agent_status?.id ?? null}
        onChange={(id) => void change(id).catch(showError)}
      />
    </div>
  );
};

/** Which conversations an agent sees and gets, and whether it gets any now. */
export const WorkSection = ({ agent, mayChange }: AgentPartProps) => {
  const [isOpen, setOpen] = useState(false);
  const isAvailable = agent.availability_status === "AVAILABLE";
  return (
    <Section
      isCard
      title={agentPageMessages.conversations}
      action={
        mayChange && (
          <Button icon="edit" isSmall aria-label={agentPageMessages.changeWork} onPress={() => setOpen(true)}>
            {agentPageMessages.change}
          </Button>
        )
      }
    >
      <Facts
        of={[
          [texts.scope, agent.scope === undefined ? agentPageMessages.notGiven : texts[agent.scope]],
          [texts.capacity, formatNumber(agent.agent_capacity ?? 0)],
          [
            texts.status,
            <>
              {mayChange ? <StatusSelect agent={agent} /> : (agent.agent_status?.name ?? texts.noStatus)}
              <span className={administration.detail}>{isAvailable ? texts.takes : texts.takesNone}</span>
            </>,
          ],
        ]}
      />
      {isOpen && <WorkDialog agent={agent} onClose={() => setOpen(false)} />}
    </Section>
  );
};
