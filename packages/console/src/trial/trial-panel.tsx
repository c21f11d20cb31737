import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { client } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { uiMessages } from "../ui/messages.ts";
import { Select } from "../ui/select.tsx";
import { showError } from "../ui/toast-store.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { trialMessages as texts } from "./messages.ts";
import { trialQuery, useTrialUpdates } from "./trial-query.ts";
import { closeTrial } from "./trial-state.ts";
import { TrialThread } from "./trial-thread.tsx";
import styles from "./trial.module.css";

type Sent = Parameters<typeof client.trial.sendTrialMessage>[0]["body"];

/** A panel in which an agent writes as a customer, and sees what the customer sees. It stays open beside the pages. */
const TrialPanel = () => {
  const queries = useQueryClient();
  const topics = useWorkspace().channels.filter(({ enabled }) => enabled);
  const { data: latest } = useQuery(trialQuery);
  const [isStarting, setStarting] = useState(false);
  const [topicId, setTopicId] = useState<string>();
  const [text, setText] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  const conversation = isStarting ? undefined : (latest ?? undefined);
  const chosenId = topicId ?? topics[0]?.id;
  const topic = topics.find(({ id }) => id === (conversation?.channel_id ?? chosenId));
  useTrialUpdates(conversation?.conversation_id);
  useEffect(() => input.current?.focus(), []);

  const send = useMutation({
    mutationFn: (body: Sent) => client.trial.sendTrialMessage({ body }),
    onSuccess: (changed) => {
      queries.setQueryData(trialQuery.queryKey, changed);
      setStarting(false);
      setText("");
    },
    onError: showError,
  });
  const submit = () => {
    const content = text.trim();
    if (content === "" || send.isPending || (!conversation && chosenId === undefined)) return;
    send.mutate({ text: content, ...(!conversation && chosenId !== undefined && { channel_id: chosenId }) });
  };

  return (
    <aside className={styles.panel} aria-label={texts.title} onKeyDown={({ key }) => key === "Escape" && closeTrial()}>
      <header className={styles.header}>
        <h2 className={styles.title}>{texts.title}</h2>
        <IconButton icon="close" label={uiMessages.close} onPress={closeTrial} />
      </header>
      {conversation ? (
        <div className={styles.tools}>
          <Button isSmall icon="plus" onPress={() => setStarting(true)}>
            {texts.restart}
          </Button>
          <Link to="/conversations/$conversationId" params={{ conversationId: conversation.conversation_id }}>
            {texts.open}
          </Link>
        </div>
      ) : (
        <div className={styles.begin}>
          <p className={styles.lead}>{texts.lead}</p>
          {topics.length === 0 ? (
            <p>{texts.noTopic}</p>
          ) : (
            <Select
              label={texts.topic}
              choices={topics.map(({ id, name }) => ({ id, label: name }))}
              value={chosenId ?? null}
              onChange={setTopicId}
            />
          )}
        </div>
      )}
      <TrialThread
        welcome={topic?.welcome_message?.message_parts ?? []}
        messages={conversation?.messages ?? []}
        isDisabled={send.isPending}
        onChoose={(choice, message_id) => send.mutate({ text: choice, in_reply_to: { message_id } })}
      />
      {conversation?.status === "resolved" && <p className={styles.lead}>{texts.resolved}</p>}
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <textarea
          ref={input}
          className={styles.input}
          aria-label={texts.write}
          placeholder={conversation ? texts.write : texts.begin}
          rows={2}
          maxLength={4_000}
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
          isDisabled={send.isPending || text.trim() === ""}
        />
      </form>
    </aside>
  );
};
export default TrialPanel;
