import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runProgram, same } from "../parley.mjs";

const SCRIPT = fileURLToPath(new URL("../components.mjs", import.meta.url));

/** Actions and sources of an automation service. The platform binds each of these components to an account. */
export default {
  name: "pipedream-freshchat",
  package: "@pipedream/freshchat",
  version: "0.4.1",
  language: "JavaScript",
  needs: ["a host of the field before the API, which it asks by TLS"],
  async drive({ parley, folder, step }) {
    const package_ = join(folder, "node_modules/@pipedream/freshchat");
    const [agent] = parley.agents;
    const { conversation, user } = await parley.talk("From a component");
    const run = async (kind, name, props) =>
      JSON.parse(
        await runProgram(
          process.execPath,
          [SCRIPT, pathToFileURL(join(package_, kind, name, `${name}.mjs`)).href, JSON.stringify(props)],
          {
            cwd: folder,
            env: { ...parley.outside.nodeEnv, CHAT_URL: "acme.freshchat.com/v2", API_KEY: parley.token },
          },
        ),
      );
    const uses = {
      "fetch-conversation-details": [
        { conversationId: conversation },
        (found) => found.conversation_id === conversation,
      ],
      "list-agent-id-options": [{ page: 0 }, (found) => found.some(({ value }) => value === agent.id)],
      "list-agents": [{ maxResults: 100 }, (found) => found.some(({ id }) => id === agent.id)],
      "list-all-conversation-properties": [{}, (found) => Array.isArray(found)],
      "list-channels": [{ maxResults: 100 }, (found) => found.some(({ id }) => id === parley.channel.id)],
      "list-group-id-options": [{ page: 0 }, (found) => found.some(({ value }) => value === parley.groups[0].id)],
      "list-messages": [
        { conversationId: conversation, maxResults: 10 },
        (found) => found[0].message_parts[0].text.content === "From a component",
      ],
      "list-user-id-options": [{ page: 0 }, (found) => found.length > 0],
      "send-message-in-chat": [
        { conversationId: conversation, actorType: "agent", agentId: agent.id, message: "Sent", messageType: "normal" },
        async () =>
          (await parley.messagesOf(conversation)).some(({ message_parts: [part] }) => part?.text?.content === "Sent"),
      ],
      "update-conversation-status": [
        { conversationId: conversation, status: "assigned", agentId: agent.id, priority: "High" },
        (found) =>
          found.status === "assigned" && found.assigned_agent_id === agent.id && found.properties.priority === "High",
      ],
    };
    for (const name of readdirSync(join(package_, "actions")))
      await step(name, async () => {
        const [props, holds] = uses[name];
        const { result } = await run("actions", name, props);
        same(`what was expected of ${JSON.stringify(result)}`, Boolean(await holds(result)), true);
      });
    await step("update-conversation-status: an empty agent takes the assignment back", async () => {
      const { result } = await run("actions", "update-conversation-status", {
        conversationId: conversation,
        status: "new",
        agentId: "",
      });
      same("the status and the agent", [result.status, result.assigned_agent_id ?? ""], ["new", ""]);
    });
    await step("new-conversation-started and new-message-received emit what is new", async () => {
      const began = await run("sources", "new-conversation-started", { userId: user });
      same("the conversation", began.emitted[0].conversation_id, conversation);
      const came = await run("sources", "new-message-received", { userId: user, conversationId: conversation });
      same(
        "a message",
        came.emitted.some(({ message_parts: [part] }) => part?.text?.content === "Sent"),
        true,
      );
    });
  },
};
