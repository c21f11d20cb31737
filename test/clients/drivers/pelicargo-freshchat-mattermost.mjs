import { freePort, PYTHON, same, startProgram, startService, until } from "../parley.mjs";

// Debian's package of cryptography has another name than the upstream package.
const SERVE = `
import sys
try:
    import Crypto
except ImportError:
    import Cryptodome.Hash.SHA256, Cryptodome.PublicKey.RSA, Cryptodome.Signature.pkcs1_15
    for name in [each for each in sys.modules if each.startswith("Cryptodome")]:
        sys.modules["Crypto" + name[len("Cryptodome"):]] = sys.modules[name]
sys.path.insert(0, ".")
from forward import create_app
create_app().run(port=int(sys.argv[1]))`;

/** Forwards messages to a team chat and its replies back, and verifies the signature of each event. */
export default {
  name: "freshchat-mattermost",
  repository: "pelicargo/freshchat-mattermost",
  commit: "01d692d3dab954010d9babf94c7f115a339d1d9c",
  language: "Python",
  needs: ["python3-flask", "python3-pycryptodome", "python3-requests", "a server in place of Mattermost"],
  async drive({ parley, folder, step }) {
    const [agent] = parley.agents;
    const team = await startService(({ method, url }) =>
      url.endsWith("/users")
        ? { body: [{ username: "olivia", email: agent.email }] }
        : { status: method === "POST" ? 201 : 200 },
    );
    const port = await freePort();
    const address = `http://localhost:${port}/freshchat`;
    const { publicKey, remove } = parley.webhook(address, ["message_create"]);
    const env = {
      FRESHCHAT_API_URL: parley.url,
      FRESHCHAT_APP_ID: "app",
      FRESHCHAT_PUBLIC_KEY: publicKey,
      FRESHCHAT_TOKEN: parley.token,
      MATTERMOST_API_URL: team.origin,
      MATTERMOST_BOT_TOKEN: "t",
      MATTERMOST_SLASH_TOKEN: "slash",
      MATTERMOST_CHANNEL_ID: "c",
    };
    const program = startProgram(PYTHON, ["-c", SERVE, String(port)], { cwd: folder, env });
    const posts = () =>
      team.heard.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body).message);
    try {
      await until(`the program: ${program.said()}`, () => program.said().includes("Running on"));
      const { conversation } = await parley.talk("Is anybody there?");
      await step("verifies the signature of a customer's message and posts it with the customer's name", () =>
        until(`the post (${program.said().slice(-300)})`, () =>
          posts().some((text) => /Client Ann .*\nIs anybody there\?/s.test(text)),
        ),
      );
      await step("posts an agent's message with the agent's name", async () => {
        await parley.call("POST", `/conversations/${conversation}/messages`, {
          actor_type: "agent",
          actor_id: agent.id,
          message_type: "normal",
          message_parts: [{ text: { content: "I am" } }],
        });
        await until("the post", () =>
          posts().some((text) => text.includes(`${agent.first_name} ${agent.last_name} posted:\nI am`)),
        );
      });
      await step("refuses an event with a wrong signature", async () => {
        const headers = {
          "content-type": "application/json",
          "x-freshchat-signature": Buffer.from("no").toString("base64"),
        };
        same("the status", (await fetch(address, { method: "POST", headers, body: "{}" })).status, 403);
      });
      await step("answers a conversation as the agent of a team mate", async () => {
        const body = new URLSearchParams({ token: "slash", user_name: "olivia", text: `${conversation} On its way` });
        same("the status", (await fetch(`http://localhost:${port}/mattermost`, { method: "POST", body })).status, 200);
        const messages = await parley.messagesOf(conversation);
        const sent = messages.find(({ message_parts }) => message_parts[0].text?.content === "On its way");
        same("the actor", sent?.actor_id, agent.id);
      });
    } finally {
      remove();
      await program.stop();
      await team.close();
    }
  },
};
