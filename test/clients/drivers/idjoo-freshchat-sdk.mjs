import { fileURLToPath } from "node:url";
import { PYTHON, runProgram, same } from "../parley.mjs";

const SCRIPT = fileURLToPath(new URL("../python/freshchat_sdk.py", import.meta.url));

/** A generated client whose models parse responses strictly. */
export default {
  name: "freshchat-sdk",
  repository: "idjoo/freshchat-sdk",
  commit: "afe30a0899325058c7d2c33b8c42490b0cee90f5",
  language: "Python",
  needs: ["python3-httpx", "python3-attr", "python3-dateutil"],
  async drive({ parley, folder, step }) {
    const [agent] = parley.agents;
    const use = async (what, ...args) =>
      JSON.parse(
        await runProgram(PYTHON, [SCRIPT, what, parley.url, parley.token, ...args], {
          cwd: folder,
          env: { PYTHONPATH: folder },
        }),
      );
    const { conversation } = await parley.converse("Hello");
    await step("get_conversation, sync and async", async () => {
      const answers = await use("get", conversation);
      same("the answers", answers, [
        [200, conversation, "new"],
        [200, conversation, "new"],
      ]);
    });
    await step("reply_conversation, sync and async", async () => {
      same("the answers", await use("reply", conversation, agent.id), [200, 200]);
      const texts = (await parley.messagesOf(conversation)).map(({ message_parts }) => message_parts[0].text?.content);
      same("the messages", texts.includes("Good day") && texts.includes("Good day again"), true);
    });
    await step("update_conversation, sync and async", async () => {
      same("the answers", await use("update", conversation, agent.id), [200, 200]);
      same("the stored value", (await parley.call("GET", `/conversations/${conversation}`)).status, "resolved");
    });
  },
};
