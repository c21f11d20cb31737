import { messengerUploads } from "@parley/contract";
import type { ConsoleAgent } from "../console/console-harness.ts";
import { clientForm } from "../messaging/uploads/upload-form-builder.ts";
import { tokenOf } from "./visitors/signed/signing-fixture.ts";
import { textMessage, type ConversationHarness, type TestVisitor } from "./conversation-harness.ts";

/** An account with secrets, each of which has its own marker, and a visitor who must see none of them. */
export interface CanaryFixture {
  readonly visitor: TestVisitor;
  readonly conversationId: string;
  /** Id of a message that the visitor sees. */
  readonly messageId: string;
  /** The agent of the conversation, whose first name and picture are public. */
  readonly agent: ConsoleAgent;
  /** Id of the private note. */
  readonly noteId: string;
  /** -> a token by which the site signs that a visitor of its own begins a session */
  signedToken(): string;
  /** -> the names of the secrets that a text contains */
  leaksIn(text: string): readonly string[];
  /** Writes notes and messages whose other members are secrets. The last one has LAST_TEXT. */
  writeAsAgents(): Promise<void>;
}

/** The agent's picture. */
export const PUBLIC_PICTURE = "https://pictures.example/vera.png";
/** The text of an agent's message. */
export const LAST_TEXT = "From an agent";
/** The agent's first name. */
export const PUBLIC_NAME = "Vera";

export async function createCanaryFixture(s: ConversationHarness): Promise<CanaryFixture> {
  const secrets = new Map<string, string>();
  const keep = (name: string, text: string): string => {
    secrets.set(name, text);
    return text;
  };
  const mark = (name: string): string => keep(name, `canary-${name.replaceAll(" ", "-")}`);

  // An agent.
  const agent = await s.newAgent(PUBLIC_NAME);
  const { groups } = await s.client.groups.listGroups();
  const stored = await s.client.agents.updateAgent({
    params: { agent_id: agent.id },
    body: {
      last_name: mark("surname"),
      biography: mark("biography"),
      phone: "+4930123456",
      avatar: { url: PUBLIC_PICTURE },
      groups: [groups[0]?.id ?? ""],
    },
  });
  keep("id of the agent", agent.id);
  keep("address of the agent", stored.email);
  keep("phone of the agent", "+4930123456");
  if (stored.org_contact_id) keep("contact of the agent", stored.org_contact_id);
  keep("session of the agent", agent.session.token);
  keep("token of the API", s.token);
  keep("id of the group", groups[0]?.id ?? "");

  // The key of the site.
  const key = await s.adminRequest<{ secret: string }>("POST", "/admin/accounts/acme/messenger/signing-keys", {
    name: mark("name of the signing key"),
    algorithm: "HS256",
  });
  const signingSecret = keep("secret of the signing key", key.body.secret);

  // Another visitor.
  const other = await s.visitor(mark("name of another visitor"));
  keep("id of another visitor", other.userId);
  keep("external id of another visitor", other.externalId);
  keep("restore id of another visitor", other.restoreId);
  keep("token of another visitor", other.token);
  await s.client.users.updateUser({
    params: { user_id: other.userId },
    body: { email: `${mark("address of another visitor")}@example.com` },
  });
  const begun = await s.begin(other, mark("text of another visitor"));
  keep("id of another conversation", begun.conversation.id);
  const form = clientForm("file", "x", "text/plain", mark("file of another visitor"));
  const { code } = await s.ask(other, messengerUploads.uploadVisitorFile, { body: form });
  if (code !== 201) throw new Error(`The file was not uploaded: ${code}.`);

  // The visitor, of whom agents and apps know more than the visitor does.
  const visitor = await s.visitor("Ada");
  await s.sql(
    `update users
        set body = jsonb_set(body::jsonb, '{properties}', $2::jsonb || coalesce(body::jsonb -> 'properties', '[]'))::text
      where id = $1`,
    [visitor.userId, JSON.stringify([{ name: mark("name of a property"), value: mark("property of the customer") }])],
  );
  const { conversation, messages } = await s.begin(visitor, "Hello");
  const params = { conversation_id: conversation.id };
  await s.client.conversations.updateConversation({
    params,
    body: {
      status: "assigned",
      assigned_agent_id: agent.id,
      assigned_group_id: groups[0]?.id ?? "",
    },
  });
  const byAgent = (content: string) => ({ actor_type: "agent" as const, actor_id: agent.id, ...textMessage(content) });
  const writeAsAgents = async () => {
    const create = (body: Parameters<typeof s.client.messages.createMessage>[0]["body"]) =>
      s.client.messages.createMessage({ params, body });
    const note = await create({ ...byAgent(mark("private note")), message_type: "private" });
    await create({ actor_type: "bot", ...textMessage(mark("note of a bot")), botsPrivateNote: true });
    await create({ actor_type: "system", message_type: "system", ...textMessage(mark("system message")) });
    const meta_data = { [mark("name of metadata")]: mark("metadata"), isResolved: false };
    await create({ actor_type: "bot", ...textMessage("From a bot"), meta_data });
    await create({ ...byAgent(LAST_TEXT), meta_data });
    return note;
  };
  const note = await writeAsAgents();
  await s.client.csat.createCsat({
    params,
    body: { issue_resolved: false, additional_feedback: mark("feedback") },
  });

  return {
    visitor,
    conversationId: conversation.id,
    messageId: messages[0]?.id ?? "",
    agent,
    noteId: note.id,
    signedToken: () => {
      const iat = Math.floor(Date.now() / 1_000);
      return tokenOf({ reference_id: "signed customer", first_name: "Ada", iat, exp: iat + 600 }, signingSecret);
    },
    leaksIn: (text) => [...secrets].flatMap(([name, secret]) => (text.includes(secret) ? [name] : [])),
    writeAsAgents: async () => void (await writeAsAgents()),
  };
}
