import type { Client, ClientData } from "@parley/framework/sdk";
import { decisionsOf } from "../../server/lib/decision-log.ts";
import {
  panelConversation,
  panelCustomer,
  type PanelConversation,
  type PanelReply,
  type PanelView,
} from "../../server/lib/panel-view.ts";
import { addressOn } from "./address.ts";
import { panelActionsOn } from "./actions.ts";
import { drawConversation, drawCustomer, drawLeads, drawPast, drawStory } from "./panel-sections.ts";
import { byId, setText, show } from "./elements.ts";
import { currentTime } from "./ports.ts";
import { repliesOn } from "./replies.ts";
import { runOneAtATime, createRefreshInterval, failureMessageOn } from "./refresh.ts";
import { failureOf } from "./format.ts";

/**
 * The panel beside a conversation. Data from the host costs the account no calls and is polled; `panelView` uses the account's
 * calls and is requested once, and again when the customer's record has changed.
 */

type Person = Pick<ClientData["loggedInAgent"], "id" | "first_name" | "last_name">;

/** The default role without access to the account's settings. */
const ROLE_WITHOUT_SETTINGS = "Agent";

const begin = async (client: Client): Promise<void> => {
  let me: ClientData["loggedInAgent"] | undefined;
  let people: readonly Person[] = [];
  let conversation: PanelConversation | undefined;
  let view: PanelView | undefined;
  /** Version of the customer's record for which the view was requested. */
  let viewedFor: string | undefined;

  const ask = async <Answer>(name: string, args: object): Promise<Answer> => {
    const { id, first_name, last_name } = (me ??= (await client.data.get("loggedInAgent")).loggedInAgent);
    const about = { conversation_id: conversation?.id, agent: { id, first_name, last_name } };
    const { response } = await client.request.invoke(name, { ...about, now: currentTime().toISOString(), ...args });
    return response as Answer;
  };
  const agentName = (agent_id: string | undefined): string => {
    if (!agent_id) return "";
    const { first_name, last_name } = [...(me ? [me] : []), ...people].find(({ id }) => id === agent_id) ?? {};
    return [first_name, last_name].filter(Boolean).join(" ") || "Another agent";
  };

  /** Responses may arrive out of order: older ones are ignored. */
  const take = (told: PanelConversation) => {
    if (!conversation || told.updated >= conversation.updated) conversation = told;
    const { topics = [], groups = [] } = view ?? {};
    drawConversation(conversation, { topics, groups, agent: agentName(conversation.agent_id) });
    if (view) deeds.show(view, conversation);
  };

  const refresh = async (): Promise<void> => {
    view = await ask<PanelView>("panelView", {});
    drawCustomer(view.customer);
    drawStory(view.did);
    drawLeads(view.leads);
    replies.show(view.replies);
    drawPast(view, (id) => void client.interface.trigger("click", { id: "conversation", value: id }));
    address.show(view.syncIn && me?.role_name !== ROLE_WITHOUT_SETTINGS);
    take(view.conversation);
    for (const part of document.querySelectorAll<HTMLElement>("[data-viewed]")) show(part, true);
  };

  const look = async (): Promise<void> => {
    const { conversation: told } = await client.data.get("conversation");
    const did = await decisionsOf(client.db, told.conversation_id);
    const [user] = told.users;
    people = told.agents;
    take(panelConversation(told));
    drawCustomer(user && panelCustomer(user));
    drawStory(did);
    show(byId("content"), true);
    const record = JSON.stringify(user ?? null);
    if (record === viewedFor) return;
    viewedFor = record;
    await trouble.heed("view", refresh);
  };

  const trouble = failureMessageOn(() => {
    viewedFor = undefined;
    return rhythm.again();
  });
  const rhythm = createRefreshInterval(async () => {
    await trouble.heed("look", look);
    show(byId("waiting"), false);
    byId("main").removeAttribute("aria-busy");
  });
  const deeds = panelActionsOn({ client, ask, done: take });
  const address = addressOn(client, ask);
  const replies = repliesOn(
    runOneAtATime(async (name: string) => {
      setText(byId("reply-problem"), "");
      try {
        const { text } = await ask<PanelReply>("panelReply", { name });
        await client.interface.trigger("setValue", { id: "editor", value: text });
        setText(byId("said"), `${name}: the text is in the editor.`);
      } catch (error) {
        setText(byId("reply-problem"), failureOf(error).message);
      }
    }),
  );

  client.events.on("app.activated", () => rhythm.now());
  for (const deed of ["conversation.onSendMessage", "conversation.onResolveClick"])
    client.events.on(deed, () => rhythm.soon());
  await rhythm.now();
};

app.initialized().then(begin, (error: unknown) => {
  setText(byId("waiting"), failureOf(error).message);
});
