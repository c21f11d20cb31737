import { fileURLToPath } from "node:url";
import { runProgram, same, startService, until } from "../parley.mjs";

const SCRIPT = fileURLToPath(new URL("../php/freshchat_sdk.php", import.meta.url));

/** Receives messages by a webhook and answers as an agent. */
export default {
  name: "freshchat_php_sdk",
  repository: "mohamedjolti/Freshchat_php_sdk",
  commit: "73da7a02f2963a9deea62dcdaec2ed4793ede280",
  language: "PHP",
  needs: ["php with curl", "a proxy: the host stands in its code"],
  failures: [
    {
      of: "^createConversation",
      whose: "own",
      why: "it sends no channel, user or message, and a form in place of JSON",
    },
  ],
  async drive({ parley, folder, step }) {
    const env = parley.outside.env;
    const php = async (what, { args = [], input } = {}) =>
      JSON.parse(
        await runProgram(
          "php",
          ["-d", `curl.cainfo=${parley.outside.ca}`, SCRIPT, folder, parley.token, what, ...args],
          {
            cwd: folder,
            env,
            input,
          },
        ),
      );
    const { conversation } = await parley.converse("Good day");
    await step("Agent::getAgents and AgentFactory", async () => {
      const ids = (await php("agents")).map(({ id }) => id);
      same("the first agent", ids[0], (await parley.call("GET", "/agents")).agents[0].id);
    });
    await step("Message and Conversation::sendMessage with a text and an image", async () => {
      const sent = await php("send", { args: [conversation, parley.agents[0].id] });
      const kinds = sent.message_parts.map((part) => Object.keys(part)[0]);
      same("the parts", kinds, ["text", "image"]);
      same(
        "the stored value",
        (await parley.messagesOf(conversation)).some(({ id }) => id === sent.id),
        true,
      );
    });
    await step(
      "MessageResponseFactory and WebhookController: reads the event of a message and repeats its text",
      async () => {
        const bodies = [];
        const listener = await startService(({ body }) => void bodies.push(body));
        const { remove } = parley.webhook(`${listener.origin}/hook`, ["message_create"]);
        try {
          const { conversation: conversationId } = await parley.converse("Repeat me");
          const event = await until("the event", () => bodies.find((body) => body.includes("Repeat me")));
          same("what was read", await php("event", { input: event }), {
            user: true,
            conversation: conversationId,
            text: "Repeat me",
          });
          await php("answer", { input: event });
          const texts = (await parley.messagesOf(conversationId)).map(({ actor_type, message_parts: [part] }) => [
            actor_type,
            part?.text?.content,
          ]);
          same(
            "the answer",
            texts.some(([actor, text]) => actor === "agent" && text === "Repeat me"),
            true,
          );
        } finally {
          remove();
          await listener.close();
        }
      },
    );
    await step("createConversation", async () => same("an id", typeof (await php("create")).conversation_id, "string"));
  },
};
