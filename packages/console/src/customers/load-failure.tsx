import { Button } from "../ui/button.tsx";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import styles from "./customer.module.css";

/** Says why a part of a page could not be loaded. */
export const LoadFailure = ({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) => (
  <div role="alert" className={styles.failure}>
    <p>{errorText(error)}</p>
    <Button isSmall onPress={onRetry}>
      {uiMessages.retry}
    </Button>
  </div>
);
