import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PYTHON, runProgram, same } from "../parley.mjs";

/** Downloads users, their conversations and messages into files. */
export default {
  name: "freshchat-downloader",
  repository: "getkarta/freshchat-downloader",
  commit: "d4dd5e0660ac6445a49e0f286c4a0537bc1acc56",
  language: "Python",
  needs: ["python3-requests", "python3-dotenv"],
  async drive({ parley, folder, step }) {
    const env = { FRESHCHAT_ACCOUNT_URL: parley.origin, FRESHCHAT_API_KEY: parley.token };
    const { conversation } = await parley.talk("Can I pay by invoice?");
    await step("downloads users, conversations and messages", async () => {
      await runProgram(PYTHON, ["main.py"], { cwd: folder, env, ms: 120_000 });
      const output = join(folder, "output");
      const files = readdirSync(join(output, "conversations"), { recursive: true }).map(String);
      const file = files.find((name) => name.includes(conversation));
      same("a file of the conversation", existsSync(join(output, "users.csv")) && file !== undefined, true);
      same(
        "its text",
        readFileSync(join(output, "conversations", file), "utf8").includes("Can I pay by invoice?"),
        true,
      );
    });
  },
};
