import { connection } from "../live/live.ts";
import { useStore } from "../state/store.ts";
import { Icon } from "../ui/icon.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import styles from "./connection-bar.module.css";
import { appMessages as texts } from "./messages.ts";

/** Says that the page may be out of date while there is no connection. There is nothing to follow for an agent without conversations. */
export const ConnectionBar = () => {
  const state = useStore(connection);
  const { scope } = useWorkspace().agent;
  return (
    <div role="status" className={styles.region}>
      {state === "waiting" && scope !== "None" && (
        <p className={styles.bar}>
          <Icon name="offline" />
          {texts.waiting}
        </p>
      )}
    </div>
  );
};
