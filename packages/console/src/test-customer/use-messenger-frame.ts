import type { MessengerConfiguration } from "@parley/contract";
import { createPanelConnection } from "@parley/messenger/connection";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState, type RefObject } from "react";
import { VALUES } from "../contract-values.ts";
import { currentLanguage } from "../i18n/language.ts";
import { useEffect } from "../state/effects.ts";
import { agentName, useWorkspace } from "../workspace/workspace.ts";
import { testCustomerMessages as texts } from "./messages.ts";
import { closeTestCustomer } from "./test-customer-state.ts";

type Connection = ReturnType<typeof createPanelConnection>;

/** Begins the `external_id` of the users that an agent writes as; the agent's id follows. */
const TEST_CUSTOMER_ID = "test-customer:";
/** Agents see it as the page of the test customer. That of the page that is open can contain the name of another customer. */
const PAGE_PATH = "/console";
/** The part of a long name that is shown. @units characters */
const NAME_LENGTH_MAX = 100;

interface MessengerFrame {
  readonly frame: RefObject<HTMLIFrameElement | null>;
  /** Address of the page in the frame. */
  readonly address: string;
  /** The conversation of the last message; undefined before a message. */
  readonly conversationId: string | undefined;
  /** The page in the frame was not loaded. */
  readonly isFailed: boolean;
  /** Only sites that sign who their visitors are can show the messenger. */
  readonly isSignatureRequired: boolean;
  /** Ends the visit of the customer and begins that of another customer. */
  readonly restart: () => void;
}

/** The messenger in a frame of the console, which takes the place of a site: the visitor is the agent's test customer. */
export const useMessengerFrame = (): MessengerFrame => {
  const { account, agent } = useWorkspace();
  const frame = useRef<HTMLIFrameElement>(null);
  const connection = useRef<Connection>(undefined);
  const [conversationId, setConversationId] = useState<string>();
  const [isFailed, setFailed] = useState(false);
  const configuration = useQuery({
    queryKey: ["messenger", account.name],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ account: account.name, origin: location.origin });
      const reply = await fetch(`${VALUES.messengerConfiguration}?${query}`, { signal });
      return (await reply.json()) as Partial<MessengerConfiguration>;
    },
    staleTime: 0,
  });
  // A colleague who signs in with this browser is another customer.
  const externalId = `${TEST_CUSTOMER_ID}${agent.agent_id}`;
  const profile = {
    first_name: texts.firstName,
    last_name: texts.lastName(agentName(agent).slice(0, NAME_LENGTH_MAX)),
  };
  const options = { locale: currentLanguage(), externalId, profile };
  const latestOptions = useRef(options);
  latestOptions.current = options;

  useEffect(() => {
    const aborting = new AbortController();
    const opened = createPanelConnection({
      base: location.origin,
      frameWindow: () => frame.current?.contentWindow ?? null,
      options: () => latestOptions.current,
      onConnect() {
        frame.current?.focus();
        void opened.call("opened", { isFocused: true });
      },
      onTimeout: () => setFailed(true),
      signal: aborting.signal,
      onNotice(notice) {
        if ("request" in notice) return closeTestCustomer();
        if ("asks" in notice)
          return void opened.call("setPage", { url: location.origin + PAGE_PATH, title: texts.title });
        if (!("event" in notice)) return;
        if (notice.event === "message:sent" || notice.event === "message:received")
          setConversationId(notice.data.data.message.conversation_id);
      },
    });
    connection.current = opened;
    opened.expect();
    return () => {
      aborting.abort();
      opened.close();
    };
  }, []);

  return {
    frame,
    address: `${VALUES.messengerPath}?${new URLSearchParams({ account: account.name })}`,
    conversationId,
    isFailed,
    isSignatureRequired: configuration.data?.signed_identity?.is_required === true,
    restart() {
      void connection.current?.call("clearUser", null);
      void connection.current?.call("setOptions", latestOptions.current);
      setConversationId(undefined);
      frame.current?.focus();
    },
  };
};
