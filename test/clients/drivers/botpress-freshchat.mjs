import { build } from "esbuild";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { same, startService, until } from "../parley.mjs";
import { startPlatform } from "../bot-platform.mjs";

const ENTRY = "integrations/freshchat/src/index.ts";
/** Modules that the platform's command line generates, and the bundled parts of the shared package. */
const MODULES = {
  ".botpress": "export class Integration { constructor(parts) { Object.assign(this, parts); } }",
  "@botpress/common": `
    export * from "./packages/common/src/integration-wrappers";
    export * from "./packages/common/src/conversation-transcript";`,
};

/** Returns the integration, bundled as its own tool does. */
const load = async (folder) => {
  const outfile = join(folder, "integration.mjs");
  const plugin = {
    name: "platform",
    setup(bundler) {
      bundler.onResolve({ filter: /^(\.\.\/)?\.botpress$|^@botpress\/common$/ }, ({ path }) => ({
        path: path.replace("../", ""),
        namespace: "platform",
      }));
      bundler.onLoad({ filter: /.*/, namespace: "platform" }, ({ path }) => ({
        contents: MODULES[path],
        resolveDir: folder,
      }));
      bundler.onResolve({ filter: /^src\// }, ({ path }) =>
        bundler.resolve(`./integrations/freshchat/${path}`, { kind: "import-statement", resolveDir: folder }),
      );
    },
  };
  const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
  const options = { bundle: true, platform: "node", format: "esm", logLevel: "error", tsconfigRaw: "{}" };
  await build({ ...options, entryPoints: [join(folder, ENTRY)], outfile, banner, plugins: [plugin] });
  return (await import(pathToFileURL(outfile).href)).default;
};

/** Hands a bot's conversation over to a human agent. The platform is a fake; the integration itself is unchanged. */
export default {
  name: "botpress-freshchat",
  repository: "botpress/botpress",
  commit: "4f4a05a0c427ce1fac9d7859a89bb995106051ac",
  version: "0.0.2",
  paths: ["integrations/freshchat", "packages/common"],
  language: "TypeScript",
  dependencies: { "@botpress/client": "1.35.0", "@botpress/sdk": "5.4.3", axios: "1", dedent: "1" },
  needs: [
    "earlier versions of two dependencies",
    "a stand-in for the bot's platform",
    "a host of the field before the API, which it asks by TLS",
  ],
  async drive({ parley, folder, step }) {
    const integration = await load(folder);
    const platform = startPlatform({ domain: "acme", token: parley.token, topic_name: parley.channel.name });
    const { ctx, client, logger } = platform;
    const context = { ctx, client, logger };
    const [agent] = parley.agents;
    // From here on, this process's TLS requests to the original hosts reach this Parley.
    const restore = parley.outside.redirectHere();
    const bodies = [];
    const listener = await startService(({ body }) => void bodies.push(body));
    const { remove } = parley.webhook(`${listener.origin}/hook`, [
      "message_create",
      "conversation_assignment",
      "conversation_resolution",
    ]);
    const events = async (action, id) => {
      const found = await until(`the event ${action}`, () =>
        bodies.find((body) => body.includes(`"${action}"`) && body.includes(id)),
      );
      bodies.splice(bodies.indexOf(found), 1);
      await integration.handler({ ...context, req: { body: found } });
    };
    try {
      await step("register: checks the token and finds the channel by its name", async () => {
        await integration.register(context);
        same("the channel", platform.state.channelId, parley.channel.id);
      });
      let userId;
      await step("createUser: once, and found again by its reference id", async () => {
        const input = { name: "Bea", email: "bea@customer.example", pictureUrl: "https://images.example/bea.png" };
        ({ userId } = await integration.actions.createUser({ ...context, input }));
        const first = platform.user(userId).tags.id;
        await integration.actions.createUser({ ...context, input });
        same("the user", platform.user(userId).tags.id, first);
        same("its name", (await parley.call("GET", `/users/${first}`)).first_name, "Bea");
      });
      let conversationId;
      let id;
      await step("startHitl: begins a conversation with a transcript and a priority", async () => {
        const messageHistory = [{ source: { type: "bot" }, type: "text", payload: { text: "Which order?" } }];
        const input = {
          userId,
          title: "Order",
          description: "Late",
          messageHistory,
          hitlSession: { priority: "High" },
        };
        ({ conversationId } = await integration.actions.startHitl({ ...context, input }));
        id = platform.conversation(conversationId).tags.id;
        same("the priority", (await parley.call("GET", `/conversations/${id}`)).properties.priority, "High");
        const texts = (await parley.messagesOf(id)).map(({ message_parts: [part] }) => part?.text?.content ?? "");
        same(
          "the transcript",
          texts.some((text) => text.includes("Which order?")),
          true,
        );
      });
      await step("channels: sends text, image, video, audio and file as the user", async () => {
        const media = await startService(() => ({ body: {} }));
        const send = (type, payload) =>
          integration.channels.hitl.messages[type]({
            ...context,
            payload,
            user: platform.user(userId),
            conversation: platform.conversation(conversationId),
            ack: async ({ tags }) => platform.acknowledged.push(tags.id),
          });
        await send("text", { text: "It is late" });
        await send("image", { imageUrl: `${media.origin}/a.png` });
        await send("video", { videoUrl: `${media.origin}/a.mp4` });
        await send("audio", { audioUrl: `${media.origin}/a.mp3` });
        await send("file", { fileUrl: `${media.origin}/a.pdf`, title: "a.pdf" });
        await media.close();
        const ids = (await parley.messagesOf(id)).map((message) => message.id);
        same("the acknowledged messages", platform.acknowledged.filter((one) => ids.includes(one)).length, 5);
      });
      await step("handler: an agent is assigned, answers and resolves", async () => {
        await parley.call("PUT", `/conversations/${id}`, { status: "assigned", assigned_agent_id: agent.id });
        await events("conversation_assignment", id);
        const reply = { actor_type: "agent", actor_id: agent.id, message_parts: [{ text: { content: "I look" } }] };
        await parley.call("POST", `/conversations/${id}/messages`, reply);
        await events("message_create", "I look");
        await parley.call("PUT", `/conversations/${id}`, { status: "resolved" });
        await events("conversation_resolution", id);
        same("the messages that the platform received", platform.received, ["hitlAssigned", "I look", "hitlStopped"]);
        same("the agent's name", platform.userOf(agent.id).name, `${agent.first_name} ${agent.last_name}`);
      });
      await step("handler: an assignment to a group alone is passed over", async () => {
        const { conversation } = await parley.converse();
        await parley.call("PUT", `/conversations/${conversation}`, {
          status: "new",
          assigned_group_id: parley.groups[0].id,
        });
        await events("conversation_assignment", conversation);
        same("the messages that the platform received", platform.received.length, 3);
      });
      await step("stopHitl: resolves the conversation", async () => {
        await parley.call("PUT", `/conversations/${id}`, { status: "new" });
        await integration.actions.stopHitl({ ...context, input: { conversationId } });
        same("the status", (await parley.call("GET", `/conversations/${id}`)).status, "resolved");
      });
    } finally {
      restore();
      remove();
      await listener.close();
    }
  },
};
