import type { AgentScope, Channel } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../src/index.ts";
import {
  sessionHarness,
  type BrowserSession,
  type SessionHarness,
  type SessionResponse,
} from "../identity/authentication/session-harness.ts";
import type { ServiceHarnessOptions } from "../service-harness.ts";

/** An agent of the demo account acme, who is signed in. */
export interface ConsoleAgent {
  readonly id: string;
  readonly session: BrowserSession;
}

/** The service, agents of every role that can sign in, and requests of their consoles. */
export interface ConsoleHarness extends SessionHarness {
  /** ACCOUNT_ADMIN, Global. */
  readonly olivia: ConsoleAgent;
  /** ADMIN, Global. */
  readonly noah: ConsoleAgent;
  /** SUPER_USER, Global. */
  readonly maya: ConsoleAgent;
  /** AGENT, Global. */
  readonly diego: ConsoleAgent;
  readonly channels: readonly Channel[];
  readonly pool: Pool;
  /** Sends a request below `/console/api`. */
  call<T>(
    agent: { readonly session: BrowserSession },
    method: string,
    path: string,
    body?: unknown,
  ): Promise<SessionResponse<T>>;
  /** Creates an agent with the role AGENT and signs it in. @shape scope: Global when absent */
  newAgent(name: string, scope?: AgentScope): Promise<ConsoleAgent>;
  /** Runs one statement of a test. */
  sql<T = object>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** A conversation of a new user. @shape texts: of the user's messages */
  conversation(
    first_name: string,
    texts?: readonly string[],
  ): Promise<{ readonly conversation_id: string; readonly user_id: string }>;
}

export const UNKNOWN_ID = "3d6f3f7e-0000-4000-8000-000000000000";

export async function consoleHarness(options?: ServiceHarnessOptions): Promise<ConsoleHarness> {
  const s = await sessionHarness(options);
  const { client } = s;
  const { agents } = await client.agents.listAgents({ query: { items_per_page: 100 } });
  const withScope = async (id: string, scope: AgentScope): Promise<void> => {
    const { code } = await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { scope });
    if (code !== 200) throw new Error(`The scope was not set: ${code}.`);
  };
  const named = async (first_name: string): Promise<ConsoleAgent> => {
    const agent = agents.find((each) => each.first_name === first_name);
    if (!agent) throw new Error(`There is no agent ${first_name}.`);
    await withScope(agent.id, "Global");
    return { id: agent.id, session: await s.signIn(agent.email) };
  };
  const { channels } = await client.channels.listChannels();
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 2 });
  const message = (id: string, content: string) => ({
    actor_type: "user" as const,
    actor_id: id,
    message_parts: [{ text: { content } }],
  });
  return {
    ...s,
    olivia: await named("Olivia"),
    noah: await named("Noah"),
    maya: await named("Maya"),
    diego: await named("Diego"),
    channels,
    pool,
    call: <T>({ session }: { readonly session: BrowserSession }, method: string, path: string, body?: unknown) =>
      s.page<T>(method, `/console/api${path}`, { session, body }),
    async newAgent(name, scope = "Global") {
      const email = `${name.toLowerCase()}@acme.example`;
      const { id } = await client.agents.createAgent({ body: { email, first_name: name } });
      await withScope(id, scope);
      return { id, session: await s.signIn(email) };
    },
    sql: <T>(text: string, values: readonly unknown[] = []) => pool.rows<T>(statement("", text), values),
    async conversation(first_name, texts = ["Hello"]) {
      const { id } = await client.users.createUser({ body: { first_name } });
      const [first = "", ...others] = texts;
      const { conversation_id } = await client.conversations.createConversation({
        body: { channel_id: channels[0]?.id ?? "", users: [{ id }], messages: [message(id, first)] },
      });
      for (const text of others)
        await client.messages.createMessage({ params: { conversation_id }, body: message(id, text) });
      return { conversation_id, user_id: id };
    },
    async close() {
      await pool.end();
      await s.close();
    },
  };
}

/** A second process on the database of the first one, which takes the same sessions. */
export const secondProcess = ({ database, objectsFolder }: ConsoleHarness): Promise<SessionHarness> =>
  sessionHarness({ database, objectsFolder });

/** -> code and token of a refusal, or the code of another response */
export const outcome = ({ code, body }: Pick<SessionResponse<unknown>, "code" | "body">): string =>
  code < 400 ? String(code) : `${code} ${(body as { readonly status?: string }).status}`;
