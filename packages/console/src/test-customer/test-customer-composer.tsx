import { useRef } from "react";
import { VALUES } from "../contract-values.ts";
import { useEffect } from "../state/effects.ts";
import { IconButton } from "../ui/button.tsx";
import { useUnsavedState } from "../unsaved/use-unsaved.ts";
import { testCustomerMessages as texts } from "./messages.ts";
import styles from "./test-customer.module.css";

interface TestCustomerComposerProps {
  readonly placeholder: string;
  readonly isSending: boolean;
  /** @shape done: empties the field */
  readonly onSend: (text: string, done: () => void) => void;
}

/** Where the agent writes as the customer. */
export const TestCustomerComposer = ({ placeholder, isSending, onSend }: TestCustomerComposerProps) => {
  const { value: text, change: setText } = useUnsavedState("trial", "");
  const latest = useRef(text);
  latest.current = text;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, []);
  const submit = (): void => {
    const content = text.trim();
    if (content === "" || isSending) return;
    // Text that was written meanwhile stays.
    onSend(content, () => latest.current === text && setText(""));
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        className={styles.input}
        aria-label={texts.write}
        placeholder={placeholder}
        rows={2}
        maxLength={VALUES.limits.text_characters}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      <IconButton
        type="submit"
        variant="primary"
        icon="send"
        label={texts.send}
        isDisabled={isSending || text.trim() === ""}
      />
    </form>
  );
};
