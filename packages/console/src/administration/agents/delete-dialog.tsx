import type { Agent } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { client } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { errorText } from "../../ui/error-text.ts";
import field from "../../ui/field.module.css";
import { uiMessages } from "../../ui/messages.ts";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import styles from "../administration.module.css";
import { agentPageMessages as texts } from "./agent-page-messages.ts";
import { agentQuery, useRereadAgents } from "./agents-query.ts";

/** Deletes an agent once the name was typed. */
export const DeleteDialog = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  const { account } = useWorkspace();
  const queries = useQueryClient();
  const reread = useRereadAgents();
  const navigate = useNavigate();
  const formId = useId();
  const name = agentName(agent);
  const [typed, setTyped] = useState("");
  const [isDeleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isConfirmed = typed.trim() === name.trim();

  const submit = async (): Promise<void> => {
    if (!isConfirmed || isDeleting) return;
    setDeleting(true);
    setProblem(undefined);
    try {
      await client.agents.deleteAgent({ params: { agent_id: agent.id } });
      onClose();
      showToast(texts.removed(name));
      await navigate({ to: "/admin/agents", replace: true });
      queries.removeQueries({ queryKey: agentQuery(account.name, agent.id).queryKey });
      await reread();
    } catch (error) {
      setProblem(errorText(error));
      setDeleting(false);
    }
  };
  return (
    <Dialog
      title={texts.removeTitle(name)}
      isOpen
      isAlert
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{uiMessages.cancel}</Button>
          <Button variant="danger" type="submit" form={formId} isDisabled={!isConfirmed || isDeleting}>
            {texts.remove}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p>{texts.removeText}</p>
        <TextField label={texts.removeConfirm(name)} autoComplete="off" autoFocus value={typed} onChange={setTyped} />
        {problem !== undefined && (
          <p role="alert" className={field.error}>
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
};
