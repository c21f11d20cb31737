import type { Agent } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { agentPageMessages as texts } from "./agent-page-messages.ts";
import { Section } from "../section.tsx";
import { agentQuery, useRereadAgents } from "./agents-query.ts";
import styles from "./agents.module.css";

/** Deactivating an agent, activating it again, and deleting it. */
export const AccessSection = ({ agent, isOwn }: { readonly agent: Agent; readonly isOwn: boolean }) => {
  const { account } = useWorkspace();
  const queries = useQueryClient();
  const navigate = useNavigate();
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
  const remove = async (): Promise<void> => {
    await client.agents.deleteAgent({ params: { agent_id: agent.id } });
    showToast(texts.removed(name));
    await navigate({ to: "/admin/agents", replace: true });
    queries.removeQueries({ queryKey: agentQuery(account.name, agent.id).queryKey });
    await reread();
  };
  if (isOwn)
    return (
      <Section isCard title={texts.leaving}>
        <p>{texts.ownAccess}</p>
      </Section>
    );
  return (
    <Section isCard title={texts.leaving}>
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
      {asked === "delete" && (
        <ConfirmDialog
          title={texts.removeTitle(name)}
          text={texts.removeText}
          action={texts.remove}
          typed={{ label: texts.removeConfirm(name), isMatch: (text) => text.trim() === name.trim() }}
          run={remove}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Section>
  );
};
