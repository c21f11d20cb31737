import type { Manifest } from "@parley/contract";
import { currentHost } from "../runtime/payloads/payload.ts";
import type { Installation } from "../installation/installations.ts";
import { findAgent, type ConversationSource } from "./conversation-source.ts";
import { AppRefused } from "../values/app-refused.ts";

/** Present context of the calling page. */
export interface PageContext {
  readonly conversation?: string | undefined;
  readonly agent?: string | undefined;
}

interface ClientDataDeps {
  readonly conversations: ConversationSource;
  readonly manifest: () => Manifest;
}

const NO_CONVERSATION = "No conversation is open: choose one in the list.";

/**
 * Objects of `client.data.get(name)`, one row per name: each returns an object with the name as its only member.
 * @assumed `conversation` is the service's object with its latest messages, its user and the participating agents; `loggedInUser`
 * is a synonym of `loggedInAgent`; `agent` is the assigned agent.
 */
const clientDataSources = (
  { conversations, manifest }: ClientDataDeps,
  context: PageContext,
  { domain }: Installation,
) => {
  const openConversation = async () => {
    const found = context.conversation === undefined ? undefined : await conversations.open(context.conversation);
    if (!found) throw new AppRefused(404, NO_CONVERSATION);
    return found;
  };
  const loggedInAgent = async () => {
    const agent = findAgent(await conversations.agents(), context.agent);
    if (!agent) throw new AppRefused(404, "The account has no agent.");
    return agent;
  };
  return new Map<string, () => Promise<unknown>>([
    ["loggedInAgent", loggedInAgent],
    ["loggedInUser", loggedInAgent],
    [
      "user",
      async () => {
        const { user } = await openConversation();
        if (!user) throw new AppRefused(404, "The user of this conversation is not there any more.");
        return user;
      },
    ],
    [
      "conversation",
      async () => {
        const { conversation, messages, user, agents } = await openConversation();
        return { ...conversation, messages, users: user ? [user] : [], agents };
      },
    ],
    [
      "agent",
      async () => {
        const { conversation, agents } = await openConversation();
        const agent = agents.find(({ id }) => id === conversation.assigned_agent_id);
        if (!agent) throw new AppRefused(404, "The conversation is assigned to nobody.");
        return agent;
      },
    ],
    ["currentHost", async () => currentHost(manifest(), domain)],
    ["domainName", async () => domain],
  ]);
};

/** @errors AppRefused for an unknown name; ServiceRefused */
export const clientData = async (
  deps: ClientDataDeps,
  name: string,
  context: PageContext,
  installation: Installation,
) => {
  const sources = clientDataSources(deps, context, installation);
  const source = sources.get(name);
  if (!source)
    throw new AppRefused(
      404,
      `client.data.get: '${name}' is not known here; known are ${[...sources.keys()].join(", ")}.`,
    );
  return { [name]: await source() };
};
