import type {
  AccountDocument,
  AgentRole,
  AgentScope,
  AppliedDocument,
  ConversationChange,
  NewMessage,
} from "@parley/contract";
import type { ConsoleHarness } from "./harness.ts";

/** What an agent is created with. */
interface NewAgent {
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
  /** Applies parts of the account's configuration, as `parley account apply` does. -> the changes that were made */
  apply(document: Omit<AccountDocument, "name">): Promise<AppliedDocument["changes"]>;
  /** The account as `parley account export` prints it. */
  document(): Promise<AccountDocument>;
  agent(options: NewAgent): Promise<AccountAgent>;
  /** Id of a group by its name. */
  group(name: string): Promise<string>;
  change(conversationId: string, change: ConversationChange): Promise<void>;
  say(conversationId: string, message: NewMessage): Promise<string>;
}

const ACCOUNT = "/admin/accounts/acme";

/** The account of a running instance, changed with its admin key and its API key. */
export const consoleAccount = ({ client, administer }: ConsoleHarness): ConsoleAccount => ({
  async apply(document) {
    return (await administer<AppliedDocument>("PUT", ACCOUNT, { name: "acme", ...document })).changes;
  },
  document: () => administer<AccountDocument>("GET", ACCOUNT),
  async agent({ name, scope = "Global", role = "AGENT", groups = [] }) {
    const email = `${name.toLowerCase().replaceAll(/\W+/g, ".")}@agents.example`;
    const { id } = await client.agents.createAgent({
      body: { email, first_name: name, role_id: role, groups: [...groups] },
    });
    await administer("PUT", `${ACCOUNT}/agents/${id}`, { scope });
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
  say: async (conversation_id, body) => (await client.messages.createMessage({ params: { conversation_id }, body })).id,
});
