/** Points a published client at a Parley of its own and uses all that it offers. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");

if (process.argv.includes("--help")) {
  console.log(
    "node test/peers/run.mjs: installs the published client into test/peers, starts Parley on free ports, uses all that the client offers.\n" +
      "Exit status 0: it works; 1: a function found something else than it expects; 2: the client or Parley couldn't be started.",
  );
  process.exit(0);
}

const giveUp = (text) => {
  console.error(`peers: ${text}`);
  process.exit(2);
};

const isInstalled = () => {
  try {
    return statSync(join(here, "node_modules/@freshworks-jaya/freshchat-api/lib/index.js")).isFile();
  } catch {
    return false;
  }
};
if (!isInstalled()) {
  console.log("Installing the client …");
  const { status } = spawnSync("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund"], {
    cwd: here,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0)
    giveUp("the client can't be installed: see npm's lines above, and whether its registry is reached.");
}
const { default: Peer } = createRequire(join(here, "package.json"))("@freshworks-jaya/freshchat-api");

const data = mkdtempSync(join(tmpdir(), "parley-peers-"));
const child = spawn(process.execPath, ["scripts/start.mjs", "--json", "--no-install"], {
  cwd: root,
  env: { ...process.env, PARLEY_DATA: data, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0", DATABASE_URL: "" },
  stdio: ["ignore", "pipe", "inherit"],
});
const stopped = new Promise((resolve) => child.once("close", resolve));
const running = await new Promise((resolve) => {
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
    const line = text.split("\n").find((each) => each.startsWith("{"));
    if (line && text.includes("\n")) resolve(JSON.parse(line));
  });
  child.once("close", () => resolve(undefined));
});
if (!running) {
  rmSync(data, { recursive: true, force: true });
  giveUp("Parley did not start: see its lines above.");
}

const call = async (method, path, body) => {
  const response = await fetch(running.service + path, {
    method,
    headers: { authorization: `Bearer ${running.token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.status === 204 || response.headers.get("content-length") === "0" ? undefined : response.json();
};

/** What a check compares; anything else than true or an object whose parts are all equal fails it. */
const same = (name, found, wanted) => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${name} is ${a}, expected ${b}`);
};

const { channels } = await call("GET", "/channels?items_per_page=1");
const { groups } = await call("GET", "/groups?items_per_page=100");
const { agents } = await call("GET", "/agents?is_deactivated=false&items_per_page=100");
const agent = agents[0];
const group = groups.find(({ id }) => agent.groups.includes(id)) ?? groups[0];
const user = await call("POST", "/users", { first_name: "Ann", email: "ann@customer.example" });
const talk = async () => {
  const said = { actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: "Hello" } }] };
  const made = await call("POST", "/conversations", {
    channel_id: channels[0].id,
    users: [{ id: user.id }],
    messages: [said],
  });
  return made.conversation_id;
};
const present = (id) => call("GET", `/conversations/${id}`);
const messages = async (id) => (await call("GET", `/conversations/${id}/messages`)).messages;

const peer = new Peer(running.service, running.token);
/** [what is tried, how] */
const CHECKS = [
  [
    "conversationAssign to an agent",
    async () => {
      const id = await talk();
      const { status, data: answer } = await peer.conversationAssign(id, agent.id, "agent", "assigned");
      same("the answer", [status, answer.status, answer.assigned_agent_id], [200, "assigned", agent.id]);
    },
  ],
  [
    "conversationAssign to a group, as 'new' and as 'assigned'",
    async () => {
      for (const word of ["new", "assigned"]) {
        const id = await talk();
        const { data: answer } = await peer.conversationAssign(id, group.id, "group", word);
        same("the answer", [answer.status, answer.assigned_group_id], ["new", group.id]);
      }
    },
  ],
  [
    "postMessage as agent and as bot, normal and private",
    async () => {
      const id = await talk();
      for (const [type, actor, actorId] of [
        ["normal", "agent", agent.id],
        ["private", "agent", agent.id],
        ["normal", "bot", undefined],
        ["normal", undefined, undefined],
      ]) {
        const { status, data: answer } = await peer.postMessage(id, "Good day", type, actor, actorId);
        same("the answer", [status, answer.message_type, answer.actor_type], [200, type, actor ?? "bot"]);
        same("the text", answer.message_parts[0].text.content, "Good day");
      }
    },
  ],
  [
    "conversationStatusUpdate: resolved, then new",
    async () => {
      const id = await talk();
      same("the answer", (await peer.conversationStatusUpdate(id, "resolved")).data.status, "resolved");
      same("what was kept", (await present(id)).status, "resolved");
      same("the answer", (await peer.conversationStatusUpdate(id, "new")).data.status, "new");
      same("the system's message", (await messages(id))[0].meta_data, { isReopen: true });
    },
  ],
  [
    "conversationStatusUpdate: assigned, without saying to whom, is refused",
    async () => {
      const id = await talk();
      const refused = await peer.conversationStatusUpdate(id, "assigned").catch((error) => error.response);
      same("the status", refused.status, 400);
    },
  ],
  [
    "sendPrivateNote, with an agent and with the first one listed",
    async () => {
      const id = await talk();
      for (const who of [agent.id, undefined]) {
        const answer = await peer.sendPrivateNote(id, "Careful", who);
        same("the answer", [answer.status, answer.data?.message_type], [200, "private"]);
      }
    },
  ],
  [
    "sendQuickreply",
    async () => {
      const id = await talk();
      const { data: answer } = await peer.sendQuickreply(id, "Which?", ["One", "Two"]);
      const labels = answer.reply_parts[0].collection.sub_parts.map((part) => part.quick_reply_button.label);
      same("the labels", labels, ["One", "Two"]);
    },
  ],
  [
    "sendNormalReplyText as agent and as bot",
    async () => {
      const id = await talk();
      same("the actor", (await peer.sendNormalReplyText(id, "Hi", agent.id)).data.actor_type, "agent");
      same("the actor", (await peer.sendNormalReplyText(id, "Hi")).data.actor_type, "bot");
    },
  ],
  [
    "updateUser",
    async () => {
      const { status, data: answer } = await peer.updateUser(user.id, { last_name: "Lee", phone: "+12015550123" });
      same("the answer", [status, answer], [202, ""]);
      const kept = await call("GET", `/users/${user.id}`);
      same("what was kept", [kept.first_name, kept.last_name], ["Ann", "Lee"]);
    },
  ],
  [
    "getUnassignedCountGivenGroupId",
    async () => {
      const before = await peer.getUnassignedCountGivenGroupId(group.id, 0);
      await peer.conversationAssign(await talk(), group.id, "group", "new");
      await eventually("the count", () => peer.getUnassignedCountGivenGroupId(group.id, 0), before + 1);
      same("that of an hour ago", await peer.getUnassignedCountGivenGroupId(group.id, 60), 0);
    },
  ],
  [
    "getAverageWaitTimeGivenGroupId",
    async () => {
      const id = await talk();
      await peer.conversationAssign(id, group.id, "group", "new");
      await peer.conversationAssign(id, agent.id, "agent", "assigned");
      const seconds = await peer.getAverageWaitTimeGivenGroupId(group.id, 1);
      if (!Number.isInteger(seconds) && !Number.isNaN(seconds)) throw new Error(`the average is ${seconds}`);
      await eventually(
        "whether it is a number",
        async () => (await peer.getAverageWaitTimeGivenGroupId(group.id, 1)) >= 0,
        true,
      );
      same("a group that there is not", await peer.getAverageWaitTimeGivenGroupId("no such group", 1), 0);
    },
  ],
];

/** What is counted in the background may take a moment. */
async function eventually(name, find, wanted) {
  const end = performance.now() + 10_000;
  for (;;) {
    const found = await find();
    if (found === wanted) return;
    if (performance.now() > end) return same(name, found, wanted);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

let failed = 0;
for (const [name, check] of CHECKS) {
  try {
    await check();
    console.log(`  ✓ ${name}`);
  } catch (error) {
    failed++;
    const said = error.response?.data ? ` ${JSON.stringify(error.response.data)}` : "";
    console.log(`  ✗ ${name}\n      ${error.message}${said}`);
  }
}
child.kill("SIGTERM");
await stopped;
rmSync(data, { recursive: true, force: true });
console.log(`${CHECKS.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
