import { classes } from "./classes.ts";
import { Button, IconButton } from "./button.tsx";
import { uiMessages } from "./messages.ts";
import { closeToast, toasts } from "./toast-store.ts";
import { useStore } from "../state/store.ts";
import styles from "./toaster.module.css";

/** The place where toasts appear. Screen readers read them when they come. */
export const Toaster = () => {
  const shown = useStore(toasts);
  return (
    <div className={styles.toaster} role="region" aria-label={uiMessages.notifications}>
      <ol aria-live="polite" aria-relevant="additions">
        {shown.map(({ id, text, tone, action }) => (
          <li key={id} className={classes(styles.toast, tone === "error" && styles.error)}>
            <span className={styles.text}>{text}</span>
            {action && (
              <Button
                isSmall
                variant="secondary"
                onPress={() => {
                  closeToast(id);
                  action.run();
                }}
              >
                {action.label}
              </Button>
            )}
            <IconButton isSmall icon="close" label={uiMessages.close} onPress={() => closeToast(id)} />
          </li>
        ))}
      </ol>
    </div>
  );
};
