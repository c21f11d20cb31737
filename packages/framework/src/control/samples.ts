import { SET_UP_EVENTS, type Invocation, isObject, type ProductEventName } from "@parley/contract";
import type { Installation } from "../state/installations.ts";
import { join } from "node:path";
import { readAppFileText } from "../package/files/app-file.ts";
import { parseAppJson } from "../model/json.ts";

type Payload = Readonly<Record<string, unknown>>;

/** Ids of nonexistent records, so that a handler that uses them cannot change real data. */
const SAMPLE_IDS = {
  user: "00000000-0000-7000-8000-000000000001",
  channel: "00000000-0000-7000-8000-000000000002",
  conversation: "00000000-0000-7000-8000-000000000003",
  message: "00000000-0000-7000-8000-000000000004",
  app: "00000000-0000-7000-8000-000000000005",
  agent: "00000000-0000-7000-8000-000000000006",
};
/** Channel number as it appears in messages. */
const CHANNEL_NUMBER = "2";
/** Account id of samples. */
const ACCOUNT_ID = 10_001;
const REGION = "US";
const VERSION = "1.0.0";

const person = { first_name: "Ada", last_name: "Example", email: "ada@example.com", phone: "+15550100", avatar: {} };

const user = (time: string) => ({
  id: SAMPLE_IDS.user,
  created_time: time,
  updated_time: time,
  login_status: false,
  ...person,
  properties: [{ name: "plan", value: "Pro" }],
});

const associations = (time: string) => ({
  channel: {
    id: SAMPLE_IDS.channel,
    name: "Support",
    freshchat_channel_id: CHANNEL_NUMBER,
    source: "FRESHCHAT",
    enabled: true,
    public: true,
    tags: [],
    icon: {},
    updated_time: time,
  },
  user: user(time),
});

const conversation = (time: string, domain: string, timestamp: number) => ({
  conversation_id: SAMPLE_IDS.conversation,
  conversation_internal_id: 1,
  freshchat_conversation_id: "1",
  skill_id: 0,
  channel_id: SAMPLE_IDS.channel,
  app_id: SAMPLE_IDS.app,
  status: "new",
  properties: { priority: "Low" },
  user_id: SAMPLE_IDS.user,
  url: `https://${domain}/conversations/${SAMPLE_IDS.conversation}`,
  created_time: time,
  updated_time: time,
  interaction_id: `1-${timestamp}`,
  messages: [
    {
      id: SAMPLE_IDS.message,
      created_time: time,
      app_id: SAMPLE_IDS.app,
      channel_id: SAMPLE_IDS.channel,
      conversation_id: SAMPLE_IDS.conversation,
      interaction_id: `1-${timestamp}`,
      freshchat_conversation_id: "1",
      freshchat_channel_id: CHANNEL_NUMBER,
      message_parts: [{ text: { content: "Hello" } }],
      actor_type: "user",
      actor_id: SAMPLE_IDS.user,
      user_id: SAMPLE_IDS.user,
      message_type: "normal",
      message_source: "api",
      restrictResponse: false,
      botsPrivateNote: false,
      isBotsInput: false,
    },
  ],
});

const customer = { type: "user", id: SAMPLE_IDS.user, ...person };
const agent = {
  type: "agent",
  id: SAMPLE_IDS.agent,
  first_name: "Grace",
  last_name: "Example",
  email: "grace@example.com",
};
const changes = (model_changes: Payload) => ({ model_changes });

/** `data` of each product event, in the shape that the service sends. */
const productData = (event: string, time: string, domain: string, timestamp: number): Payload | undefined => {
  const conversationData = conversation(time, domain, timestamp);
  const { messages: _messages, ...withoutMessages } = conversationData;
  const about = associations(time);
  const dataByEvent: Readonly<Record<ProductEventName | "onAgentActivityCreate", Payload>> = {
    onConversationCreate: { actor: customer, associations: about, conversation: conversationData },
    onConversationUpdate: {
      actor: agent,
      associations: about,
      conversation: { ...withoutMessages, status: "assigned", assigned_agent_id: SAMPLE_IDS.agent },
      changes: changes({ status: ["new", "assigned"], assigned_agent_id: [null, SAMPLE_IDS.agent] }),
    },
    onMessageCreate: { actor: customer, associations: about, message: conversationData },
    onAgentActivityCreate: { actor: agent, associations: {} },
    onUserCreate: { actor: customer, associations: {}, user: user(time) },
    onUserUpdate: {
      actor: customer,
      associations: {},
      user: user(time),
      changes: changes({ first_name: [null, "Ada"] }),
    },
  };
  return Object.entries(dataByEvent).find(([name]) => name === event)?.[1];
};

/** A sample payload for an event without test data or a recorded call. Parameters and host are added when the event is raised. */
export const samplePayload = (event: string, now: Date, { domain }: Pick<Installation, "domain">): Payload => {
  const timestamp = now.getTime();
  const about = { account_id: ACCOUNT_ID, domain, event, region: REGION, timestamp, version: VERSION };
  if (SET_UP_EVENTS.some((name) => name === event)) return { ...about, data: {} };
  if (event === "onExternalEvent")
    return { ...about, headers: { "content-type": "application/json" }, data: { sample: true } };
  return { ...about, data: productData(event, now.toISOString(), domain, timestamp) ?? {} };
};

/** A recorded payload without the members that are added when the event is raised. */
export const recordedPayload = ({ payload }: Invocation): Payload => {
  const { iparams: _iparams, currentHost: _host, ...rest } = (payload ?? {}) as Payload;
  return rest;
};

interface TestData {
  /** Path from the app's folder, with `/`. */
  readonly file: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Test data of the app that cannot be used. The message addresses the app's author. */
export class TestDataUnusable extends Error {
  override readonly name = "TestDataUnusable";
}

/** Rejects names that could form a path outside the folder. */
const isPlainName = (name: string): boolean => /^\w[\w.-]*$/.test(name);

/** Candidate files of a payload, in order of precedence. */
const filesOf = (module: string, event: string): string[] =>
  ["server/test_data", "test_data"].flatMap((folder) => [
    join(folder, `${event}.json`),
    ...(isPlainName(module) ? [join(folder, module, `${event}.json`)] : []),
  ]);

/**
 * Returns the payload that the app's author wrote for an event or a function, or undefined without such a payload.
 * @errors TestDataUnusable
 */
export async function readTestData(folder: string, module: string, event: string): Promise<TestData | undefined> {
  if (!isPlainName(event)) return undefined;
  for (const file of filesOf(module, event)) {
    const text = await readAppFileText(folder, file);
    if (text === undefined) continue;
    const json = parseAppJson(file, text);
    if ("findings" in json) {
      const [first] = json.findings;
      throw new TestDataUnusable(`${file}:${first?.line ?? 1}: ${first?.message ?? "The file is not JSON."}`);
    }
    const { value } = json;
    if (!isObject(value)) throw new TestDataUnusable(`${file}: a payload is an object, such as {"data": {}}.`);
    return { file, payload: value };
  }
  return undefined;
}
