import { memberOf, type ServiceEvent, type Agent, type EventData, type FrontConversation } from "@parley/contract";
import type { Project } from "../model/project.ts";
import { type ConversationSource, personName } from "./conversation-source.ts";
import { createLiveConversations } from "./live-conversations.ts";
import { serviceCall, type ServiceAccess, ServiceRefused } from "./service.ts";
import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { appFilePath, readAppFileText } from "../package/files/app-file.ts";

/** The agent who views samples. */
const SAMPLE_AGENT: Agent = {
  id: "sample-agent",
  created_time: "2025-01-01T00:00:00.000Z",
  availability_status: "AVAILABLE",
  email: "agent@example.com",
  first_name: "Sample",
  last_name: "Agent",
  groups: [],
  is_deactivated: false,
  is_deleted: false,
  login_status: true,
  role_id: "sample-role",
  role_name: "Agent",
};

const READ_ONLY = "These are samples: start the host with a service to write to customers.";

const dataIn = (text: string): Partial<EventData> | undefined => {
  try {
    const json: unknown = JSON.parse(text);
    const data: unknown = memberOf(json, "data");
    return typeof data === "object" && data !== null ? data : undefined;
  } catch {
    return undefined;
  }
};

const conversationIn = (data: Partial<EventData>): FrontConversation | undefined => {
  const conversationData = data.message ?? data.conversation;
  if (typeof conversationData?.conversation_id !== "string") return undefined;
  const { messages = [], ...conversation } = conversationData;
  const { user = data.user, channel } = data.associations ?? {};
  return { conversation, messages, user, agents: [SAMPLE_AGENT], topic: channel?.name ?? "" };
};

/** Conversations in the app's sample events; of several samples of a conversation the last one is used. */
async function samplesIn(folder: string): Promise<FrontConversation[]> {
  const sampleFolder = "server/test_data";
  const root = await appFilePath(folder, sampleFolder);
  const names = root === undefined ? [] : await readdir(root, { recursive: true }).catch(() => []);
  const files = names.filter((name) => extname(name) === ".json").sort();
  const texts = await Promise.all(
    files.map((name) => readAppFileText(folder, join(sampleFolder, name)).catch(() => undefined)),
  );
  const found = texts.flatMap((text) => {
    const sample = conversationIn(dataIn(text ?? "") ?? {});
    return sample ? [[sample.conversation.conversation_id, sample] as const] : [];
  });
  return [...new Map(found).values()];
}

/** A conversation source without a service: samples in the app's folder, read on each call. */
const createSampleConversations = (project: () => Project): ConversationSource => {
  const samples = () => samplesIn(project().folder);
  const refused = async () => {
    throw new ServiceRefused(501, READ_ONLY);
  };
  return {
    live: false,
    async recent() {
      return (await samples()).map(({ conversation, messages, user, topic }) => ({
        id: conversation.conversation_id,
        status: conversation.status,
        name: user ? personName(user) : "",
        topic,
        text: messages.at(-1)?.message_parts[0]?.text?.content ?? "",
        time: conversation.updated_time,
      }));
    },
    open: async (id) => (await samples()).find(({ conversation }) => conversation.conversation_id === id),
    agents: async () => [SAMPLE_AGENT],
    send: refused,
    change: refused,
  };
};

/** A conversation source that receives events. */
export interface OpenConversationSource extends ConversationSource {
  /** Receives each event of the service, whether or not the app subscribes to it. */
  readonly receiveEvent: (event: ServiceEvent) => void;
  /** Discards all cached data after the service's data was replaced. */
  clearCache(): void;
}

/** The conversations of the live service, or without a live service of the app's samples. */
export const openConversationSource = (
  service: ServiceAccess | undefined,
  project: () => Project,
): OpenConversationSource => {
  if (!service)
    return { ...createSampleConversations(project), receiveEvent: () => undefined, clearCache: () => undefined };
  const createLive = () => createLiveConversations(serviceCall(service), service.account, service.receivesAllEvents);
  let liveConversations = createLive();
  return {
    live: true,
    recent: () => liveConversations.recent(),
    open: (id) => liveConversations.open(id),
    agents: () => liveConversations.agents(),
    send: (message) => liveConversations.send(message),
    change: (change) => liveConversations.change(change),
    receiveEvent: (event) => liveConversations.receiveEvent(event),
    clearCache: () => void (liveConversations = createLive()),
  };
};
