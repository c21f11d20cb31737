import { createNames, useWorkspace } from "../workspace/workspace.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./pane.module.css";
import { threadMessages as texts } from "./messages.ts";
import { usePresences } from "./use-presence.ts";

/** Other agents who have the conversation open, or are writing in it. */
export const PresenceLine = ({ conversationId }: { readonly conversationId: string }) => {
  const workspace = useWorkspace();
  const names = createNames(workspace);
  const others = usePresences(conversationId).filter(({ agent_id }) => agent_id !== workspace.agent.agent_id);
  const namesOf = (state: "viewing" | "typing"): string =>
    others
      .filter((presence) => presence.state === state)
      .map(({ agent_id }) => names.agent(agent_id))
      .join(", ");
  const typing = namesOf("typing");
  const viewing = namesOf("viewing");
  return (
    <div role="status" className={styles.presence}>
      {typing !== "" && (
        <span className={styles.typing}>
          <Icon name="edit" />
          {texts.typing(typing)}
        </span>
      )}
      {viewing !== "" && (
        <span>
          <Icon name="eye" />
          {texts.viewing(viewing)}
        </span>
      )}
    </div>
  );
};
