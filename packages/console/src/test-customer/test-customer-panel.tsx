import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { useEffect } from "../state/effects.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { errorText } from "../ui/error-text.ts";
import { Hint } from "../ui/hint.tsx";
import { uiMessages } from "../ui/messages.ts";
import { Select } from "../ui/select.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { testCustomerMessages as texts } from "./messages.ts";
import { TestCustomerComposer } from "./test-customer-composer.tsx";
import { closeTestCustomer } from "./test-customer-state.ts";
import { TestCustomerThread } from "./test-customer-thread.tsx";
import styles from "./test-customer.module.css";
import { useTestCustomer } from "./use-test-customer.ts";

type TestCustomer = ReturnType<typeof useTestCustomer>;

const Tools = ({
  testCustomer: { conversation, isInScope, reload, setStarting },
}: {
  readonly testCustomer: TestCustomer;
}) =>
  conversation && (
    <div className={styles.tools}>
      <Button isSmall icon="plus" onPress={() => setStarting(true)}>
        {texts.restart}
      </Button>
      {isInScope ? (
        <Link to="/conversations/$conversationId" params={{ conversationId: conversation.conversation_id }}>
          {texts.open}
        </Link>
      ) : (
        <Hint text={texts.narrowScope}>
          <Button isSmall onPress={reload}>
            {texts.refresh}
          </Button>
        </Hint>
      )}
    </div>
  );

const Beginning = ({ testCustomer }: { readonly testCustomer: TestCustomer }) => {
  const { topics, topic, chooseTopic, hasLatest, setStarting } = testCustomer;
  return (
    <div className={styles.begin}>
      {topics.length === 0 ? (
        <p>{texts.noTopic}</p>
      ) : (
        <Select
          label={texts.topic}
          choices={topics.map(({ id, name }) => ({ id, label: name }))}
          value={topic?.id ?? null}
          onChange={chooseTopic}
        />
      )}
      {hasLatest && (
        <Button isSmall icon="back" onPress={() => setStarting(false)}>
          {texts.backToConversation}
        </Button>
      )}
    </div>
  );
};

const Conversation = ({ testCustomer }: { readonly testCustomer: TestCustomer }) => {
  const { conversation, topic, mayWrite, isSending, sendError } = testCustomer;
  return (
    <>
      {conversation ? <Tools testCustomer={testCustomer} /> : <Beginning testCustomer={testCustomer} />}
      <TestCustomerThread
        welcome={topic?.welcome_message?.message_parts ?? []}
        channelId={topic?.id}
        messages={conversation?.messages ?? []}
        isDisabled={isSending || !mayWrite}
        onChoose={testCustomer.answer}
      />
      {conversation && !mayWrite && <p className={styles.state}>{texts.restricted}</p>}
      {conversation?.status === "resolved" && mayWrite && <p className={styles.state}>{texts.resolved}</p>}
      {sendError && (
        <p role="alert" className={styles.problem}>
          {texts.notSent} {errorText(sendError)}
        </p>
      )}
      {mayWrite && (
        <TestCustomerComposer
          // A new conversation begins with an empty field that has the focus.
          key={conversation?.conversation_id ?? "new"}
          placeholder={conversation ? texts.write : texts.begin}
          isSending={isSending}
          onSend={testCustomer.write}
        />
      )}
    </>
  );
};

/** A panel in which an agent writes as a customer, and sees what the customer sees. It stays open beside the pages. */
const TestCustomerPanel = () => {
  const testCustomer = useTestCustomer();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const element = panel.current;
    // The composer takes over the focus as soon as it exists.
    if (!element?.contains(opener)) element?.focus();
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
      {testCustomer.isLoading && <Spinner />}
      {testCustomer.loadError && (
        <div role="alert" className={styles.problem}>
          <p>
            {texts.failed} {errorText(testCustomer.loadError)}
          </p>
          <Button isSmall onPress={testCustomer.reload}>
            {uiMessages.retry}
          </Button>
        </div>
      )}
      {!testCustomer.isLoading && !testCustomer.loadError && <Conversation testCustomer={testCustomer} />}
    </aside>
  );
};
export default TestCustomerPanel;
