import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../session/session.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { isRestricted } from "./test-customer-events.ts";
import { testCustomerQuery, useTestCustomerUpdates } from "./test-customer-query.ts";

type Sent = Parameters<typeof client.testCustomer.sendTestCustomerMessage>[0]["body"];

/** The conversation of the test customer, and what the customer can do in it. */
export const useTestCustomer = () => {
  const queries = useQueryClient();
  const { agent, channels } = useWorkspace();
  const topics = channels.filter(({ enabled }) => enabled);
  const latest = useQuery(testCustomerQuery);
  const [isStarting, setStarting] = useState(false);
  const [topicId, setTopicId] = useState<string>();
  const known = latest.data ?? undefined;
  const conversation = isStarting ? undefined : known;
  const chosenId = topicId ?? topics[0]?.id;
  useTestCustomerUpdates(known?.conversation_id);

  const send = useMutation({
    mutationFn: (body: Sent) => client.testCustomer.sendTestCustomerMessage({ body }),
    onSuccess: (changed) => {
      queries.setQueryData(testCustomerQuery.queryKey, changed);
      setStarting(false);
    },
  });
  return {
    topics,
    /** The topic of the conversation, or of the next new conversation. */
    topic: topics.find(({ id }) => id === (conversation?.channel_id ?? chosenId)),
    chooseTopic: setTopicId,
    conversation,
    /** Whether the agent reaches the conversation, and its events arrive. A narrower scope may not contain it. */
    isInScope: agent.scope === "Global",
    /** Whether there is a conversation to go back to from the start of a new conversation. */
    hasLatest: known !== undefined,
    isLoading: latest.isPending,
    loadError: known ? undefined : (latest.error ?? undefined),
    reload: () => void latest.refetch(),
    setStarting: (next: boolean): void => {
      send.reset();
      setStarting(next);
    },
    isSending: send.isPending,
    sendError: send.error ?? undefined,
    mayWrite: conversation ? !isRestricted(conversation) : chosenId !== undefined,
    /** @shape done: called when the message is stored */
    write: (text: string, done: () => void): void =>
      send.mutate(
        { text, ...(!conversation && chosenId !== undefined && { channel_id: chosenId }) },
        { onSuccess: done },
      ),
    answer: (text: string, message_id: string): void => send.mutate({ text, in_reply_to: { message_id } }),
  };
};
