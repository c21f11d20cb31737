import { freePort, same, startProgram, startService, until } from "../parley.mjs";

/** Imports conversations into a vector database, as dialogues between agent and user. */
export default {
  name: "freshchat-vectorizer",
  repository: "htuzel/freshchat-vectorizer",
  commit: "753aaaa6522246c07317fea32f1cc70a0ec7f2ff",
  language: "JavaScript",
  dependencies: {
    "@qdrant/js-client-rest": "1.7.0",
    axios: "1",
    dotenv: "16",
    express: "4",
    "node-cron": "3",
    openai: "4",
  },
  needs: [
    "a host of the field before the API, which it asks by TLS",
    "a server in place of its database and its language model",
    "users of July 2024: the dates stand in its code",
  ],
  failures: [
    {
      of: "^test-freshchat",
      whose: "own",
      why: "it asks for /agents/list without the version segment, which the API has not",
    },
    {
      of: "^import-historical: stores",
      whose: "own",
      why: "its users are those of July 2024, and the API takes no created_time",
    },
  ],
  async drive({ parley, folder, step }) {
    const stored = [];
    const service = await startService(({ method, url, body }) => {
      if (method === "PUT" && url.includes("/points")) stored.push(...JSON.parse(body).points);
      if (url.endsWith("/embeddings")) return { body: { data: [{ embedding: [0.5] }] } };
      if (url.endsWith("/scroll")) return { body: { result: { points: [] } } };
      return { body: { result: { collections: [] } } };
    });
    const port = await freePort();
    const env = {
      FRESHCHAT_API_KEY: parley.token,
      FRESHCHAT_DOMAIN: "acme.freshchat.com",
      QDRANT_URL: service.origin,
      QDRANT_API_KEY: "k",
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: service.origin,
      PORT: String(port),
      ...parley.outside.nodeEnv,
    };
    const program = startProgram(process.execPath, ["src/api/server.js"], { cwd: folder, env });
    try {
      await until("the program", () => program.said().includes("initialization completed"));
      const ask = async (path, options) => (await fetch(`http://127.0.0.1:${port}${path}`, options)).json();
      const { conversation } = await parley.talk("Where is it?");
      await step("import-historical: lists users between two times, over all pages", async () => {
        const { success, details } = await ask("/api/import-historical");
        same("the answer", [success, typeof details.processedUsers], [true, "number"]);
      });
      await step("webhook: reads the messages of a conversation as a dialogue", async () => {
        const { messages } = await parley.call("GET", `/conversations/${conversation}/messages`);
        const body = JSON.stringify({ id: conversation, messages });
        const headers = { "content-type": "application/json" };
        same("the answer", await ask("/webhooks/freshchat-webhook", { method: "POST", headers, body }), {
          success: true,
        });
        const point = stored.find(({ payload }) => payload.original_id === conversation);
        same("the dialogue", point?.payload.conversation, "User: Where is it?");
      });
      await step("import-historical: stores the conversations of its users", async () => {
        const { details } = await ask("/api/import-historical");
        same("whether there were some", details.totalConversations > 0, true);
      });
      await step("test-freshchat", async () => same("the answer", (await ask("/api/test-freshchat")).success, true));
    } finally {
      await program.stop();
      await service.close();
    }
  },
};
