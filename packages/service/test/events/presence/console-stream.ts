import type { Presence } from "@parley/contract";
import type { SessionClient } from "@parley/client/session";
import type { BrowserSession } from "../../identity/authentication/session-harness.ts";
import { pageClient } from "../../identity/authentication/session-client.ts";

type Item = ReturnType<SessionClient["live"]["streamConsole"]> extends AsyncIterable<infer I> ? I : never;

/** A page with an open stream of the console, over real connections. */
export interface ConsolePage {
  readonly client: SessionClient;
  readonly items: readonly Item[];
  /** Id of the stream. */
  readonly streamId: string;
  /** Position to continue from. */
  readonly position: string | undefined;
  /** The agents in a conversation as last received; undefined if nothing was. */
  agentsIn(conversationId: string): readonly Presence[] | undefined;
  /** Every list of agents in a conversation that was received, each agent as `<id> <state>`. */
  statesIn(conversationId: string): readonly (readonly string[])[];
  report(conversationId: string, state: "viewing" | "typing" | "left", tabId?: string): Promise<readonly Presence[]>;
  /** Resolves when the condition holds. @errors Error with the received items if it does not hold in time */
  until(holds: () => boolean, timeoutMs?: number): Promise<void>;
  /** Resolves when the page has shown these agents in a conversation last, as `<id> <state>`. */
  untilAgents(conversationId: string, agents: readonly string[], timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

export async function openConsolePage(
  url: string,
  session: BrowserSession,
  { lastEventId }: { readonly lastEventId?: string | undefined } = {},
): Promise<ConsolePage> {
  const client = pageClient(url, session);
  const items: Item[] = [];
  const stop = new AbortController();
  let wake: (() => void) | undefined;
  let failure: unknown;
  const read = async () => {
    const position = lastEventId === undefined ? {} : { lastEventId };
    for await (const item of client.live.streamConsole({ ...position, signal: stop.signal })) {
      items.push(item);
      wake?.();
    }
  };
  const ended = read().catch((error: unknown) => {
    failure = error;
    wake?.();
  });
  const page: ConsolePage = {
    client,
    items,
    get streamId() {
      const start = items.findLast(({ event }) => event === "stream_start");
      return start?.event === "stream_start" ? start.data.stream_id : "";
    },
    get position() {
      return items.findLast(({ id }) => id !== "")?.id;
    },
    agentsIn(conversationId) {
      const found = items.findLast((item) => item.event === "presence" && item.data.conversation_id === conversationId);
      return found?.event === "presence" ? found.data.agents : undefined;
    },
    statesIn: (conversationId) =>
      items.flatMap((item) =>
        item.event === "presence" && item.data.conversation_id === conversationId
          ? [item.data.agents.map(({ agent_id, state }) => `${agent_id} ${state}`)]
          : [],
      ),
    async report(conversation_id, state, tab_id = "tab") {
      const body = { stream_id: page.streamId, tab_id, state };
      return (await client.live.reportPresence({ params: { conversation_id }, body })).agents;
    },
    async until(holds, timeoutMs = 60_000) {
      const end = performance.now() + timeoutMs;
      while (!holds()) {
        if (failure) throw failure as Error;
        const left = end - performance.now();
        if (left <= 0) throw new Error(`not in time: ${JSON.stringify(items).slice(-2_000)}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    untilAgents: (conversationId, agents, timeoutMs) =>
      page.until(
        () =>
          JSON.stringify(page.agentsIn(conversationId)?.map(({ agent_id, state }) => `${agent_id} ${state}`)) ===
          JSON.stringify([...agents].sort()),
        timeoutMs,
      ),
    async close() {
      stop.abort();
      await ended;
    },
  };
  await page.until(() => items.length > 0);
  return page;
}

/** Opens pages, which are closed at the end of a test. */
export const consolePages = () => {
  const opened: ConsolePage[] = [];
  return {
    open: async (...options: Parameters<typeof openConsolePage>): Promise<ConsolePage> => {
      const page = await openConsolePage(...options);
      opened.push(page);
      return page;
    },
    closeAll: async (): Promise<void> => {
      await Promise.all(opened.splice(0).map((page) => page.close()));
    },
  };
};
