import type { Client, ClientData } from "@parley/framework/sdk";
import { decisionsOf } from "../../server/lib/decision-log.ts";
import {
  panelConversation,
  panelCustomer,
  type PanelConversation,
  type PanelReply,
  type PanelView,
} from "../../server/lib/panel-view.ts";
import { createAddressSection } from "./address.ts";
import { createPanelActions } from "./actions.ts";
import { drawConversation, drawCustomer, drawLeads, drawPast, drawDecisionLog } from "./panel-sections.ts";
import { byId, setText, show } from "./elements.ts";
import { currentTime } from "./ports.ts";
import { createReplyList } from "./replies.ts";
import { joinRunningCall, createPolling, createFailureBar } from "./refresh.ts";
import { failureOf } from "./format.ts";

/**
 * The panel beside a conversation. Data from the host costs the account no calls and is polled; `panelView` uses the account's
 * calls and is requested once, and again when the customer's record has changed.
 */

type AgentName = Pick<ClientData["loggedInAgent"], "id" | "first_name" | "last_name">;

/** The default role without access to the account's settings. */
const ROLE_WITHOUT_SETTINGS = "Agent";

const start = async (client: Client): Promise<void> => {
  let agent: ClientData["loggedInAgent"] | undefined;
  let agents: readonly AgentName[] = [];
  let conversation: PanelConversation | undefined;
  let view: PanelView | undefined;
  /** Version of the customer's record for which the view was requested. */
  let viewedRecord: string | undefined;

  const call = async <Answer>(name: string, args: object): Promise<Answer> => {
    const { id, first_name, last_name } = (agent ??= (await client.data.get("loggedInAgent")).loggedInAgent);
    const context = { conversation_id: conversation?.id, agent: { id, first_name, last_name } };
    const { response } = await client.request.invoke(name, { ...context, now: currentTime().toISOString(), ...args });
    return response as Answer;
  };
  const agentName = (agent_id: string | undefined): string => {
    if (!agent_id) return "";
    const { first_name, last_name } = [...(agent ? [agent] : []), ...agents].find(({ id }) => id === agent_id) ?? {};
    return [first_name, last_name].filter(Boolean).join(" ") || "Another agent";
  };

  /** Responses may arrive out of order: older responses are ignored. */
  const updateConversation = (received: PanelConversation) => {
    if (!conversation || received.updated >= conversation.updated) conversation = received;
    const { topics = [], groups = [] } = view ?? {};
    drawConversation(conversation, { topics, groups, agent: agentName(conversation.agent_id) });
    if (view) actions.show(view, conversation);
  };

  const refresh = async (): Promise<void> => {
    view = await call<PanelView>("panelView", {});
    drawCustomer(view.customer);
    drawDecisionLog(view.did);
    drawLeads(view.leads);
    replies.show(view.replies);
    drawPast(view, (id) => void client.interface.trigger("click", { id: "conversation", value: id }));
    address.show(view.syncIn && agent?.role_name !== ROLE_WITHOUT_SETTINGS);
    updateConversation(view.conversation);
    for (const part of document.querySelectorAll<HTMLElement>("[data-needs-view]")) show(part, true);
  };

  const poll = async (): Promise<void> => {
    const { conversation: data } = await client.data.get("conversation");
    const decisions = await decisionsOf(client.db, data.conversation_id);
    const [user] = data.users;
    agents = data.agents;
    updateConversation(panelConversation(data));
    drawCustomer(user && panelCustomer(user));
    drawDecisionLog(decisions);
    show(byId("content"), true);
    const record = JSON.stringify(user ?? null);
    if (record === viewedRecord) return;
    viewedRecord = record;
    await failures.run("view", refresh);
  };

  const failures = createFailureBar(() => {
    viewedRecord = undefined;
    return polling.again();
  });
  const polling = createPolling(async () => {
    await failures.run("poll", poll);
    show(byId("waiting"), false);
    byId("main").removeAttribute("aria-busy");
  });
  const actions = createPanelActions({ client, call, onChange: updateConversation });
  const address = createAddressSection(client, call);
  const replies = createReplyList(
    joinRunningCall(async (name: string) => {
      setText(byId("reply-problem"), "");
      try {
        const { text } = await call<PanelReply>("panelReply", { name });
        await client.interface.trigger("setValue", { id: "editor", value: text });
        setText(byId("announcement"), `${name}: the text is in the editor.`);
      } catch (error) {
        setText(byId("reply-problem"), failureOf(error).message);
      }
    }),
  );

  client.events.on("app.activated", () => polling.now());
  for (const actionEvent of ["conversation.onSendMessage", "conversation.onResolveClick"])
    client.events.on(actionEvent, () => polling.soon());
  await polling.now();
};

app.initialized().then(start, (error: unknown) => {
  setText(byId("waiting"), failureOf(error).message);
});
