/** Small apps that the section publishes. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const ACCOUNT_PARAMETERS = {
  domain: { display_name: "Account", type: "domain", required: true, type_attributes: { product: "freshchat" } },
  api_key: {
    display_name: "API key",
    type: "api_key",
    required: true,
    secure: true,
    type_attributes: { product: "freshchat" },
  },
};
const headers = { Authorization: "Bearer <%= iparam.api_key %>" };
const host = "<%= iparam.domain %>";
const REQUESTS = {
  rename: { schema: { method: "PUT", host, path: "/v2/users/<%= context.id %>", headers } },
  large: { schema: { method: "GET", host, path: "/v2/users/large", headers } },
};

/** Sets the first name of the user who wrote a message to the text of the message: one request of the API for each event. */
const RENAMING = `exports = {
  onEventHandler: async function (args) {
    const [message] = args.data.message.messages;
    const text = message.message_parts[0].text.content;
    await $request.invokeTemplate("rename", {
      context: { id: message.actor_id },
      body: JSON.stringify({ first_name: text }),
    });
  },
};
`;

const IDLE = `exports = {
  onEventHandler: function () {},
};
`;

/** Makes noise for some milliseconds. @shape text of the message: kind and milliseconds, "loop 5000" */
const NOISY = `const until = (ms) => Date.now() + ms;
const actions = {
  loop(ms) {
    for (const end = until(ms); Date.now() < end; );
  },
  async large(ms) {
    const end = until(ms);
    const worker = async () => {
      while (Date.now() < end) await $request.invokeTemplate("large", {}).catch(() => undefined);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  },
  async sleep(ms) { await new Promise((done) => setTimeout(done, ms)); },
  async log(ms) {
    for (const end = until(ms); Date.now() < end; await new Promise((done) => setTimeout(done, 10)))
      for (let line = 0; line < 100; line++) console.log("A line of a noisy app, " + line);
  },
};
exports = {
  onEventHandler: async function (args) {
    const [message] = args.data.message.messages;
    const [kind, ms] = message.message_parts[0].text.content.split(" ");
    await actions[kind]?.(Number(ms));
  },
};
`;

const APPS = {
  renaming: { event: "onMessageCreate", module: "chat_conversation", code: RENAMING, requests: ["rename"] },
  idle: { event: "onUserCreate", module: "chat_user", code: IDLE, requests: ["rename"] },
  noisy: { event: "onMessageCreate", module: "chat_conversation", code: NOISY, requests: ["large"] },
};

/** Writes an app of a kind of `APPS` to a folder of its own. -> the folder */
export const writeApp = async (parent, name, kind) => {
  const { event, module, code, requests } = APPS[kind];
  const folder = join(parent, name);
  await mkdir(join(folder, "server"), { recursive: true });
  await mkdir(join(folder, "config"));
  const manifest = {
    "platform-version": "3.0",
    modules: {
      common: { requests: Object.fromEntries(requests.map((request) => [request, {}])) },
      [module]: { events: { [event]: { handler: "onEventHandler" } } },
    },
    dependencies: {},
  };
  const used = Object.fromEntries(requests.map((request) => [request, REQUESTS[request]]));
  const write = (path, content) => writeFile(join(folder, path), content);
  await write("manifest.json", JSON.stringify(manifest));
  await write("package.json", JSON.stringify({ name, version: "1.0.0", private: true }));
  await write("config/iparams.json", JSON.stringify(ACCOUNT_PARAMETERS));
  await write("config/requests.json", JSON.stringify(used));
  await write("server/server.js", code);
  return folder;
};
