import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { PYTHON, runProgram, same, startService, until } from "../parley.mjs";

const SCRIPT = fileURLToPath(new URL("../python/python_freshchat.py", import.meta.url));

/** A client with models for users, conversations, channels and events, and signature verification. */
export default {
  name: "python-freshchat",
  repository: "twyla-ai/python-freshchat",
  commit: "5bb0ea730f82b63292688be61315b6b880896e1f",
  version: "0.6.1-alpha.0",
  language: "Python",
  needs: [
    "python3-aiohttp",
    "python3-pycryptodome",
    "one class of a package that could not be brought (a logger), in 4 lines",
  ],
  failures: [
    {
      of: "^(User|Conversation|IncomingEvent)",
      whose: "own",
      why: "its models refuse every field that the API has added since, such as `updated_time` and `interaction_id`",
    },
  ],
  async drive({ parley, folder, step }) {
    const python = async (what, { args = [], input } = {}) =>
      JSON.parse(
        await runProgram(PYTHON, [SCRIPT, what, `${parley.url}/`, parley.token, ...args], {
          cwd: folder,
          env: { PYTHONPATH: join(folder, "src") },
          input,
        }),
      );
    const { conversation, user } = await parley.talk("Hello");
    const steps = {
      "User.create": async () => same("the user", (await python("create-user")).first_name, "Maria"),
      "User.get": async () => same("the user", (await python("get-user", { args: [user] })).id, user),
      "Conversation.create": async () => {
        const made = await python("create", { args: [user, parley.channel.id] });
        same(
          "the channel and the text",
          [made.channel_id, (await parley.messagesOf(made.conversation_id)).at(-1).message_parts[0].text.content],
          [parley.channel.id, "From Python"],
        );
      },
      "Conversation.get": async () =>
        same("the conversation", (await python("get", { args: [conversation, user] })).conversation_id, conversation),
      "Conversation.send": async () =>
        same("the text", (await python("send", { args: [conversation, user] })).message_parts[0].text.content, "More"),
      "Conversation.resolve": async () => {
        same("the answer", (await python("resolve", { args: [conversation, user] })).status, "resolved");
      },
      "Channels.get": async () =>
        same(
          "a channel",
          (await python("channels")).some(({ id }) => id === parley.channel.id),
          true,
        ),
      "an error of the API": async () => same("the class", (await python("unknown")).error, "ResourceNotFound"),
    };
    for (const [name, use] of Object.entries(steps)) await step(name, use);
    const heard = [];
    const listener = await startService(
      ({ body, headers }) => void heard.push({ body, signature: headers["x-freshchat-signature"] }),
    );
    const { publicKey, remove } = parley.webhook(`${listener.origin}/hook`, [
      "message_create",
      "conversation_resolution",
      "conversation_reopen",
    ]);
    try {
      const { conversation: talk } = await parley.talk("Listen");
      const came = (name) => until(`the event ${name}`, () => heard.find(({ body }) => body.includes(`"${name}"`)));
      await step("IncomingEvent of a message", async () => {
        const { body } = await came("message_create");
        const read = await python("event", { input: body });
        same(
          "what was read",
          [read.data.message_parts[0].text.content, read.data.conversation.conversation_id],
          ["Listen", talk],
        );
      });
      await step("IncomingEvent of a resolution", async () => {
        await parley.call("PUT", `/conversations/${talk}`, { status: "resolved" });
        const { body } = await came("conversation_resolution");
        same("the conversation", (await python("event", { input: body })).data.conversation.conversation_id, talk);
      });
      await step("SecurityManager verifies a signature, and refuses that of another body", async () => {
        const { body, signature } = await came("message_create");
        const key = publicKey
          .replaceAll(/\n/g, "")
          .replace("-----BEGIN PUBLIC KEY-----", "-----BEGIN RSA PUBLIC KEY-----")
          .replace("-----END PUBLIC KEY-----", "-----END RSA PUBLIC KEY-----");
        same("whether it holds", await python("verify", { args: [signature, key], input: body }), { holds: true });
        same("with another body", await python("verify", { args: [signature, key], input: `${body} ` }), {
          holds: false,
        });
      });
    } finally {
      remove();
      await listener.close();
    }
  },
};
