import { useState } from "react";
import { useEffect } from "../state/effects.ts";
import { classes } from "./classes.ts";
import { Button, IconButton } from "./button.tsx";
import { uiMessages } from "./messages.ts";
import { closeToast, toasts, type Toast } from "./toast-store.ts";
import { useStore } from "../state/store.ts";
import styles from "./toaster.module.css";

/** How long a toast without an error stays. One with an error stays until it is closed. @units milliseconds */
const SHOWN_MS = 8_000;

const ToastEntry = ({ id, text, tone, action }: Toast) => {
  /** The pointer or the focus is on it: it doesn't disappear under the agent's hands. */
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const isHeld = isPointedAt || hasFocus || tone === "error";
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => closeToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <li
      className={classes(styles.toast, tone === "error" && styles.error)}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocus={() => setFocus(true)}
      onBlur={({ currentTarget, relatedTarget }) => setFocus(currentTarget.contains(relatedTarget))}
    >
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
  );
};

/** The place where toasts appear. Screen readers read them when they come. */
export const Toaster = () => {
  const shown = useStore(toasts);
  return (
    <div className={styles.toaster} role="region" aria-label={uiMessages.notifications}>
      <ol aria-live="polite" aria-relevant="additions">
        {shown.map((toast) => (
          <ToastEntry key={toast.id} {...toast} />
        ))}
      </ol>
    </div>
  );
};
