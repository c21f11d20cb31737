/** Files of a test app by path. Objects are written as JSON. */
export type TestAppFiles = Readonly<Record<string, string | object>>;

/** An app that answers each customer's message with its parameter `greeting` and the version of its code. */
export const greeter = (version: string, more: TestAppFiles = {}): TestAppFiles => ({
  "package.json": { name: "greeter", version, description: "Answers each message." },
  "manifest.json": {
    "platform-version": "3.0",
    modules: {
      common: {
        requests: { reply: {} },
        functions: { recordOf: {} },
        events: {
          onAppInstall: { handler: "installed" },
          afterAppUpdate: { handler: "updated" },
          onAppUninstall: { handler: "uninstalled" },
          onScheduledEvent: { handler: "scheduled" },
          onExternalEvent: { handler: "external" },
        },
      },
      chat_conversation: { events: { onMessageCreate: { handler: "answer" } } },
    },
  },
  "config/iparams.json": {
    domain: { display_name: "Domain", type: "domain", required: true, type_attributes: { product: "freshchat" } },
    api_key: {
      display_name: "Key",
      type: "api_key",
      required: true,
      secure: true,
      type_attributes: { product: "freshchat" },
    },
    greeting: { display_name: "Greeting", description: "d", type: "text", default_value: "Hello" },
  },
  "config/requests.json": {
    reply: {
      schema: {
        method: "POST",
        protocol: "https",
        host: "<%= iparam.domain %>",
        path: "/v2/conversations/<%= context.id %>/messages",
        headers: { Authorization: "Bearer <%= iparam.api_key %>", "Content-Type": "application/json" },
      },
    },
  },
  "server/server.js": `
const say = (id, text) => $request.invokeTemplate("reply", {
  context: { id },
  body: JSON.stringify({ actor_type: "bot", message_parts: [{ text: { content: text } }] }),
});
exports = {
  installed: async function () { await $db.set("version", { installed: "${version}" }); renderData(); },
  updated: function (args) {
    if (args.iparams.greeting === "refuse") return renderData({ message: "Not this greeting." });
    renderData();
  },
  uninstalled: function () { renderData(); },
  scheduled: async function (args) { await say(args.data.id, "scheduled " + args.data.text); },
  external: async function (args) { await say(args.data.id, "external"); },
  recordOf: async function (args) { renderData(null, await $db.get("version")); },
  answer: async function (args) {
    const { message, actor } = args.data;
    if (actor.type !== "user") return;
    const [{ message_parts: [part] }] = message.messages;
    const content = part.text.content;
    const schedule = /^schedule (\\d+) (.*)$/.exec(content);
    if (schedule)
      await $schedule.create({
        name: schedule[2], data: { id: message.conversation_id, text: schedule[2] },
        schedule_at: new Date(Date.now() + Number(schedule[1])).toISOString(),
      });
    if (content === "target") return say(message.conversation_id, await generateTargetUrl());
    if (content === "slow") {
      await $db.update("runs", "increment", { slow: 1 }).catch(() => $db.set("runs", { slow: 1 }));
      console.info("slow begins");
      for (const end = Date.now() + 2_500; Date.now() < end;);
    }
    if (content === "runs") return say(message.conversation_id, "runs " + (await $db.get("runs")).slow);
    await say(message.conversation_id, args.iparams.greeting + " ${version}: " + content);
  },
};
`,
  ...more,
});

/** An app whose key needs another permission: it also has a request for a customer. */
export const withCustomerRequest = (files: TestAppFiles): TestAppFiles => {
  const requests = files["config/requests.json"] as Readonly<Record<string, { readonly schema: object }>>;
  const manifest = files["manifest.json"] as { readonly modules: { readonly common: { readonly requests: object } } };
  const { common } = manifest.modules;
  const modules = { ...manifest.modules, common: { ...common, requests: { ...common.requests, person: {} } } };
  const person = { ...requests["reply"]?.schema, method: "GET", path: "/v2/users/<%= context.id %>" };
  return {
    ...files,
    "manifest.json": { ...manifest, modules },
    "config/requests.json": { ...requests, person: { schema: person } },
  };
};
