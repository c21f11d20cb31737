import type { Agent, IssuedLink, Role } from "@parley/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../session/session.ts";
import { errorText } from "../../ui/error-text.ts";
import { showToast } from "../../ui/toast-store.ts";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { AgentFields } from "./agent-fields.tsx";
import { agentPageMessages } from "./agent-page-messages.ts";
import { creationOf } from "./agent-values.ts";
import { useRereadAgents } from "./agents-query.ts";
import { LinkDialog } from "./link-dialog.tsx";
import { agentMessages as texts } from "./messages.ts";
import { useAgentForm } from "./use-agent-form.ts";

interface NewAgentDialogProps {
  readonly roles: readonly Role[];
  readonly onClose: () => void;
}

/** The form of a new agent. It is created and invited; a link that was not sent is shown. */
export const NewAgentDialog = ({ roles, onClose }: NewAgentDialogProps) => {
  const { account } = useWorkspace();
  const reread = useRereadAgents();
  const navigate = useNavigate();
  const [invited, setInvited] = useState<{ readonly name: string; readonly issued: IssuedLink & { link: string } }>();

  const invite = async (agent: Agent): Promise<void> => {
    const issued = await adminCalls.inviteAgent({ params: { account: account.name, agent_id: agent.id } });
    const { link, email } = issued;
    if (link !== undefined) return setInvited({ name: agentName(agent), issued: { ...issued, link } });
    showToast(agentPageMessages.inviteSent(email));
    onClose();
  };
  const form = useAgentForm(undefined, async (values) => {
    const agent = await client.agents.createAgent({ body: creationOf(values) });
    void reread();
    try {
      await invite(agent);
    } catch (error) {
      // The agent exists: its page has another invitation.
      showToast(`${agentPageMessages.inviteFailed} ${errorText(error)}`, { tone: "error" });
      onClose();
      await navigate({ to: "/admin/agents/$agentId", params: { agentId: agent.id } });
    }
  });
  if (invited)
    return (
      <LinkDialog title={agentPageMessages.createdTitle(invited.name)} issued={invited.issued} onClose={onClose} />
    );
  return (
    <FormDialog title={texts.newTitle} form={form} action={texts.newAction} onClose={onClose}>
      <AgentFields form={form} roles={roles} isOwn={false} />
    </FormDialog>
  );
};
