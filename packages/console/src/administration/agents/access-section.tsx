import type { Agent } from "@parley/contract";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { agentPageMessages as texts } from "./agent-page-messages.ts";
import { AgentSection } from "./agent-section.tsx";
import { useRereadAgents } from "./agents-query.ts";
import styles from "./agents.module.css";
import { DeleteDialog } from "./delete-dialog.tsx";

/** Deactivating an agent, activating it again, and deleting it. */
export const AccessSection = ({ agent, isOwn }: { readonly agent: Agent; readonly isOwn: boolean }) => {
  const { account } = useWorkspace();
  const reread = useRereadAgents();
  const [asked, setAsked] = useState<"deactivate" | "delete">();
  const name = agentName(agent);

  const setDeactivated = async (is_deactivated: boolean): Promise<void> => {
    await adminCalls.changeAgentSettings({
      params: { account: account.name, agent_id: agent.id },
      body: { is_deactivated },
    });
    await reread();
    showToast(is_deactivated ? texts.deactivatedToast(name) : texts.activatedToast(name));
  };
  if (isOwn)
    return (
      <AgentSection title={texts.leaving}>
        <p>{texts.ownAccess}</p>
      </AgentSection>
    );
  return (
    <AgentSection title={texts.leaving}>
      <div className={styles.action}>
        <p>{agent.is_deactivated ? texts.activateText : texts.deactivateText}</p>
        {agent.is_deactivated ? (
          <Button onPress={() => void setDeactivated(false).catch(showError)}>{texts.activate}</Button>
        ) : (
          <Button variant="danger" onPress={() => setAsked("deactivate")}>
            {texts.deactivate}
          </Button>
        )}
      </div>
      <div className={styles.action}>
        <p>{texts.removeShort}</p>
        <Button variant="danger" icon="trash" onPress={() => setAsked("delete")}>
          {texts.remove}
        </Button>
      </div>
      {asked === "deactivate" && (
        <ConfirmDialog
          title={texts.deactivateTitle(name)}
          text={texts.deactivateLong}
          action={texts.deactivate}
          run={() => setDeactivated(true)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "delete" && <DeleteDialog agent={agent} onClose={() => setAsked(undefined)} />}
    </AgentSection>
  );
};
