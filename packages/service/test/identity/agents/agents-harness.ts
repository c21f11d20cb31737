import { expect } from "@jest/globals";
import { Agent, type NewAgent } from "@parley/contract";
import { statement } from "@parley/database";
import { Compile } from "typebox/compile";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import {
  conversationsHarness,
  type ConversationsHarness,
} from "../../messaging/conversations/conversations-harness.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";

/** One row of `agent_activity`: previous status, new status, availability. */
type Activity = readonly [string | null, string | null, string];

/** A test instance in which agents are created and deleted. */
export interface AgentsHarness extends ConversationsHarness {
  /** Creates an agent with a unique e-mail address. */
  createAgent(more?: Partial<NewAgent>): Promise<Agent>;
  /** -> HTTP status, token and message of the response */
  responseOf(method: string, path: string, body?: unknown): Promise<[number, string, string]>;
  agentActivity(agentId: string): Promise<Activity[]>;
}

const ACTIVITY = statement(
  "",
  `select from_status, to_status, availability_status from agent_activity where agent_id = $1 order by id`,
);
export const JSON_BODY = { "content-type": "application/json" };

const check = Compile(Agent);

/** Checks that an agent in a response conforms to the contract. */
export const checkedAgent = (agent: Agent): Agent => {
  expect(check.Errors(agent)).toEqual([]);
  return agent;
};

export async function agentsHarness(options?: ServiceHarnessOptions): Promise<AgentsHarness> {
  const s = await conversationsHarness(options);
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  let createdCount = 0;
  return {
    ...s,
    createAgent: async (more) =>
      checkedAgent(
        await s.client.agents.createAgent({ body: { email: `hired${++createdCount}@acme.example`, ...more } }),
      ),
    async responseOf(method, path, body) {
      const init =
        body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body), headers: JSON_BODY };
      const reply = await s.raw(method, `/v2${path}`, init);
      const text = await reply.text();
      const { status = "", message = "" } = JSON.parse(text || "{}") as { status?: string; message?: string };
      return [reply.status, status, message];
    },
    agentActivity: async (agentId) =>
      (await pool.rows<object>(ACTIVITY, [agentId])).map((row) => Object.values(row) as never),
  };
}
