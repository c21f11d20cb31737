import { freePort, startProgram, until } from "../parley.mjs";

/** A bot that receives events by a webhook and answers through the API. */
export default {
  name: "freshchat-integration",
  repository: "yefanh/freshchat-integration",
  commit: "cb4d2e01c82b1ef8462cbf91ac764995f198e037",
  language: "JavaScript",
  dependencies: { axios: "1", "body-parser": "1", dotenv: "16", express: "4" },
  needs: ["a webhook without a signature check"],
  async drive({ parley, folder, step }) {
    const port = await freePort();
    const env = { FRESHCHAT_API_KEY: parley.token, FRESHCHAT_BASE_URL: parley.url, PORT: String(port) };
    const program = startProgram(process.execPath, ["index.js"], { cwd: folder, env });
    await until("the program", () => program.said().includes("Waiting for messages"));
    const { remove } = parley.webhook(`http://localhost:${port}/webhook`, ["message_create"]);
    try {
      await step("hears a customer's message and answers as a bot", async () => {
        const { conversation } = await parley.talk("Where is my order?");
        await until(`the reply (${program.said()})`, async () =>
          (await parley.messagesOf(conversation)).some(
            ({ actor_type, message_parts }) =>
              actor_type === "bot" && message_parts[0].text?.content === "Reply:Where is my order?",
          ),
        );
      });
    } finally {
      remove();
      await program.stop();
    }
  },
};
