import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { useEffect } from "../state/effects.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Hint } from "../ui/hint.tsx";
import { uiMessages } from "../ui/messages.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { testCustomerMessages as texts } from "./messages.ts";
import { closeTestCustomer } from "./test-customer-state.ts";
import styles from "./test-customer.module.css";
import { useMessengerFrame } from "./use-messenger-frame.ts";

/** The messenger, in which an agent writes as a customer. It stays open beside the pages. */
const TestCustomerPanel = () => {
  const { agent } = useWorkspace();
  const { frame, address, conversationId, isFailed, isSignatureRequired, restart } = useMessengerFrame();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const element = panel.current;
    // The messenger takes over the focus as soon as it is loaded.
    element?.focus();
    return () => {
      const isWithin = element?.contains(document.activeElement) === true || document.activeElement === document.body;
      if (isWithin && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      className={styles.panel}
      aria-label={texts.title}
      onKeyDown={({ key, defaultPrevented }) => key === "Escape" && !defaultPrevented && closeTestCustomer()}
    >
      <header className={styles.header}>
        <h2 className={styles.title}>{texts.title}</h2>
        <IconButton icon="close" label={uiMessages.close} onPress={closeTestCustomer} />
      </header>
      <p className={styles.notice}>{texts.lead}</p>
      <div className={styles.tools}>
        <Hint text={texts.restartHelp}>
          <Button isSmall icon="plus" onPress={restart}>
            {texts.restart}
          </Button>
        </Hint>
        {/* A narrower scope may not contain the conversation. */}
        {agent.scope === "Global" && conversationId !== undefined && (
          <Link to="/conversations/$conversationId" params={{ conversationId }}>
            {texts.open}
          </Link>
        )}
      </div>
      {(isFailed || isSignatureRequired) && (
        <p role="alert" className={styles.problem}>
          {isFailed ? texts.failed : texts.signed}
        </p>
      )}
      <iframe ref={frame} className={styles.frame} title={texts.frame} src={address} />
    </aside>
  );
};
export default TestCustomerPanel;
