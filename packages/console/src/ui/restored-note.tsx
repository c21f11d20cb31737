import { Button } from "./button.tsx";
import styles from "./restored-note.module.css";
import { uiMessages } from "./messages.ts";

/** Says that a form begins with what the agent had entered before, and offers to begin without it. */
export const RestoredNote = ({ onReset }: { readonly onReset: () => void }) => (
  <div className={styles.note}>
    <p>{uiMessages.restored}</p>
    <Button isSmall onPress={onReset}>
      {uiMessages.discardRestored}
    </Button>
  </div>
);
