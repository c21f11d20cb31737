import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AccountDocument, AgentRole, AgentScope, ConversationChange, NewMessage } from "@parley/contract";
import type { ConsoleHarness } from "./harness.ts";

/** What an agent is created with. */
export interface NewAgent {
  readonly name: string;
  readonly scope?: AgentScope;
  readonly role?: AgentRole;
  /** Ids of groups. */
  readonly groups?: readonly string[];
}

export interface AccountAgent {
  readonly id: string;
  readonly email: string;
}

/** What an operator and integrations do with the account acme. */
export interface ConsoleAccount {
  /** Applies parts of the account's configuration. */
  apply(document: Omit<AccountDocument, "name">): Promise<void>;
  agent(options: NewAgent): Promise<AccountAgent>;
  /** Id of a group by its name. */
  group(name: string): Promise<string>;
  change(conversationId: string, change: ConversationChange): Promise<void>;
  say(conversationId: string, message: NewMessage): Promise<string>;
}

/** The account of a running instance, changed with its admin key and its API key. */
export const consoleAccount = async (s: ConsoleHarness): Promise<ConsoleAccount> => {
  const key = (await readFile(join(s.dataFolder, "admin-key"), "utf8")).trim();
  const put = async (path: string, body: object): Promise<void> => {
    const reply = await fetch(`${s.origin}/admin/accounts/acme${path}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`PUT ${path}: ${reply.status} ${await reply.text()}`);
  };
  const { client } = s;
  return {
    apply: (document) => put("", { name: "acme", ...document }),
    async agent({ name, scope = "Global", role = "AGENT", groups = [] }) {
      const email = `${name.toLowerCase().replaceAll(/\W+/g, ".")}@agents.example`;
      const { id } = await client.agents.createAgent({
        body: { email, first_name: name, role_id: role, groups: [...groups] },
      });
      await put(`/agents/${id}`, { scope });
      return { id, email };
    },
    async group(name) {
      const { groups } = await client.groups.listGroups({ query: { items_per_page: 100 } });
      const found = groups.find((group) => group.name === name);
      if (!found) throw new Error(`There is no group ${name}.`);
      return found.id;
    },
    async change(conversation_id, body) {
      await client.conversations.updateConversation({ params: { conversation_id }, body });
    },
    say: async (conversation_id, body) =>
      (await client.messages.createMessage({ params: { conversation_id }, body })).id,
  };
};
