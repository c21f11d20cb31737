import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { useEffect } from "../state/effects.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { errorText } from "../ui/error-text.ts";
import { Hint } from "../ui/hint.tsx";
import { uiMessages } from "../ui/messages.ts";
import { Select } from "../ui/select.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { trialMessages as texts } from "./messages.ts";
import { TrialComposer } from "./test-customer-composer.tsx";
import { closeTrial } from "./test-customer-state.ts";
import { TrialThread } from "./test-customer-thread.tsx";
import styles from "./test-customer.module.css";
import { useTrial } from "./use-test-customer.ts";

type Trial = ReturnType<typeof useTrial>;

const Tools = ({ trial: { conversation, isInScope, reload, setStarting } }: { readonly trial: Trial }) =>
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

const Beginning = ({ trial }: { readonly trial: Trial }) => {
  const { topics, topic, chooseTopic, hasLatest, setStarting } = trial;
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

const Conversation = ({ trial }: { readonly trial: Trial }) => {
  const { conversation, topic, mayWrite, isSending, sendError } = trial;
  return (
    <>
      {conversation ? <Tools trial={trial} /> : <Beginning trial={trial} />}
      <TrialThread
        welcome={topic?.welcome_message?.message_parts ?? []}
        channelId={topic?.id}
        messages={conversation?.messages ?? []}
        isDisabled={isSending || !mayWrite}
        onChoose={trial.answer}
      />
      {conversation && !mayWrite && <p className={styles.state}>{texts.restricted}</p>}
      {conversation?.status === "resolved" && mayWrite && <p className={styles.state}>{texts.resolved}</p>}
      {sendError && (
        <p role="alert" className={styles.problem}>
          {texts.notSent} {errorText(sendError)}
        </p>
      )}
      {mayWrite && (
        <TrialComposer
          // A new conversation begins with an empty field that has the focus.
          key={conversation?.conversation_id ?? "new"}
          placeholder={conversation ? texts.write : texts.begin}
          isSending={isSending}
          onSend={trial.write}
        />
      )}
    </>
  );
};

/** A panel in which an agent writes as a customer, and sees what the customer sees. It stays open beside the pages. */
const TrialPanel = () => {
  const trial = useTrial();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const element = panel.current;
    // The composer takes it over, as soon as there is one.
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
      onKeyDown={({ key, defaultPrevented }) => key === "Escape" && !defaultPrevented && closeTrial()}
    >
      <header className={styles.header}>
        <h2 className={styles.title}>{texts.title}</h2>
        <IconButton icon="close" label={uiMessages.close} onPress={closeTrial} />
      </header>
      <p className={styles.notice}>{texts.lead}</p>
      {trial.isLoading && <Spinner />}
      {trial.loadError && (
        <div role="alert" className={styles.problem}>
          <p>
            {texts.failed} {errorText(trial.loadError)}
          </p>
          <Button isSmall onPress={trial.reload}>
            {uiMessages.retry}
          </Button>
        </div>
      )}
      {!trial.isLoading && !trial.loadError && <Conversation trial={trial} />}
    </aside>
  );
};
export default TrialPanel;
