import { CONVERSATION_NOT_FOUND, live, refuse, STREAM_NOT_FOUND, stream } from "@parley/contract";
import type { AgentReach } from "../../messaging/conversations/reach.sql.ts";
import type { FindConversationId } from "../../messaging/conversations/find.ts";
import { sessionAgent } from "../../http/session-agent.ts";
import { defineRoutes, type ApiCaller, type CallerAgent } from "../../http/route-handlers.ts";
import type { StreamedReply } from "../../http/streamed.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { AgentPresence } from "../presence/presence.ts";
import { accessFingerprint, streamAccessOf } from "./access.ts";
import type { EventTexts } from "./event-texts.ts";
import type { KeepAliveTimer } from "./keep-alive-timer.ts";
import { liveText } from "./live-text.ts";
import { createLiveTexts } from "./live-texts.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { StreamExtension, StreamReply } from "./stream-reply.ts";
import type { StreamRules } from "./stream-rules.ts";
import type { StreamStore } from "./store.ts";

interface StreamDeps {
  readonly reply: StreamReply;
  readonly open: Pick<OpenStreams, "enter">;
  readonly texts: EventTexts;
  readonly keepAlives: KeepAliveTimer;
  readonly store: Pick<StreamStore, "hasConversation">;
  readonly findId: FindConversationId;
}

/** -> the id of a conversation of the account @errors CONVERSATION_NOT_FOUND */
const createConversationOf =
  ({ store, findId }: Pick<StreamDeps, "store" | "findId">) =>
  async (accountId: number, text: string): Promise<string> => {
    const id = (await findId(accountId, text)) ?? refuse(CONVERSATION_NOT_FOUND);
    return (await store.hasConversation(accountId, id)) ? id : refuse(CONVERSATION_NOT_FOUND);
  };

/** The part of a stream's request that the credential decides. @errors INVALID_VALUE, FORBIDDEN */
const createRequestOf =
  ({ open, texts, keepAlives }: Pick<StreamDeps, "open" | "texts" | "keepAlives">) =>
  (caller: ApiCaller, types?: string) => {
    const access = streamAccessOf(caller, types);
    const { credentialId, agent, account } = caller;
    return {
      accountId: account.id,
      enter: () => open.enter({ credentialId, access: accessFingerprint(agent) }),
      isWanted: ({ kind }: LogRow) => access.kinds.has(kind),
      frameOf: (row: LogRow) => texts(row, access),
      keepAlives,
    };
  };

export const streamRoutes = ({ reply, ...deps }: StreamDeps) => {
  const conversationOf = createConversationOf(deps);
  const requestOf = createRequestOf(deps);
  return defineRoutes(stream, {
    events: ({ caller, query, request }): Promise<StreamedReply> =>
      reply({
        ...requestOf(caller, query.types),
        request,
        subject: async () => {
          if (query.conversation_id === undefined) return undefined;
          return { conversationId: await conversationOf(caller.account.id, query.conversation_id) };
        },
      }),
  });
};

interface LiveDeps extends StreamDeps {
  readonly presence: AgentPresence;
  readonly reach: Pick<AgentReach, "conversations">;
  readonly rules: Pick<StreamRules, "consoleKeepAliveMs">;
}

/** The stream of the console: that of the API with the presence of agents and the changes of the agent's own. */
export const liveRoutes = ({ reply, presence, reach, rules, ...deps }: LiveDeps) => {
  const conversationOf = createConversationOf(deps);
  const requestOf = createRequestOf(deps);

  const extensionFor = (accountId: number, agent: CallerAgent, credentialId: string): StreamExtension => {
    const opened = presence.openStream({ accountId, agentId: agent.id, credentialId });
    const texts = createLiveTexts({ presence, reach }, accountId, agent);
    const { role_id, scope } = agent;
    const keepAliveMs = rules.consoleKeepAliveMs;
    const start = liveText("stream_start", { stream_id: opened.id, role_id, scope, keep_alive_ms: keepAliveMs });
    return { start, texts, close: () => opened.close() };
  };

  return defineRoutes(live, {
    streamConsole: ({ caller, request }): Promise<StreamedReply> => {
      const extend = () => extensionFor(caller.account.id, sessionAgent(caller), caller.credentialId);
      return reply({ ...requestOf(caller), request, extend });
    },
    async reportPresence({ caller, params, body: { stream_id, tab_id: tabId, state } }) {
      const conversationId = await conversationOf(caller.account.id, params.conversation_id);
      const report = { tabId, conversationId, state };
      const agents = (await presence.report(stream_id, caller.credentialId, report)) ?? refuse(STREAM_NOT_FOUND);
      return { conversation_id: conversationId, agents: [...agents] };
    },
  });
};
