import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { useDebounced } from "../state/use-debounced.ts";
import { customerName } from "../workspace/workspace.ts";
import type { RecentPlace } from "./recent-places.ts";
import { shortcutMessages as texts } from "./messages.ts";

interface FoundPlace extends RecentPlace {
  /** How to tell it from others of the same name. */
  readonly detail: string;
}

/** @units milliseconds */
const DELAY_MS = 200;
const SHOWN = 5;
/** Shorter texts find too much to choose from. @units characters */
const LENGTH_MIN = 2;
const NUMBER = /^#?(\d{1,15})$/;

const findCustomers = async (text: string, signal: AbortSignal): Promise<readonly FoundPlace[]> => {
  const { customers } = await client.customers.listCustomers({ query: { text, limit: SHOWN }, signal });
  return customers.map((customer) => ({
    kind: "customer",
    id: customer.id,
    label: customerName(customer),
    detail: customer.email ?? customer.phone ?? "",
  }));
};

const findConversations = async (text: string, signal: AbortSignal): Promise<readonly FoundPlace[]> => {
  const q = NUMBER.exec(text)?.[1] ?? text;
  const { conversations = [] } = await client.search.search({
    query: { q, kinds: "conversations", limit: SHOWN },
    signal,
  });
  return conversations.map(({ conversation, highlight }) => ({
    kind: "conversation",
    id: conversation.conversation_id,
    label: texts.conversation(conversation.freshchat_conversation_id),
    detail: highlight.map((piece) => piece.text).join(""),
  }));
};

const NONE: readonly FoundPlace[] = [];

const useFound = (
  kind: FoundPlace["kind"],
  text: string,
  find: (text: string, signal: AbortSignal) => Promise<readonly FoundPlace[]>,
): readonly FoundPlace[] => {
  const isEnabled = text.length >= LENGTH_MIN || NUMBER.test(text);
  const { data } = useQuery({
    queryKey: ["palette", kind, text],
    queryFn: ({ signal }) => find(text, signal),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 30_000,
  });
  return isEnabled ? (data ?? NONE) : NONE;
};

/** Customers and conversations that contain the typed text. A search that fails finds nothing: the commands remain. */
export const useFoundPlaces = (typed: string) => {
  const text = useDebounced(typed.trim(), DELAY_MS);
  return {
    customers: useFound("customer", text, findCustomers),
    conversations: useFound("conversation", text, findConversations),
  };
};
