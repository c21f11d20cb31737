import { runProgram, same } from "../parley.mjs";

/** Scripts of a bridge to another team chat that inspect channels and fields of conversations. */
export default {
  name: "freshchat-bridge",
  repository: "wedosoft/freshchat-bridge",
  commit: "7113f2d29c970c4b6dd7669d39f47ab25c58aace",
  language: "JavaScript",
  dependencies: { axios: "1", dotenv: "16" },
  needs: ["its bridge itself needs an account of the other chat: its scripts alone are run"],
  failures: [
    { of: "^check-freshchat-fields", whose: "own", why: "it lists users without the filter that the API demands" },
  ],
  async drive({ parley, folder, step }) {
    const env = { FRESHCHAT_API_URL: parley.url, FRESHCHAT_API_KEY: parley.token, FRESHCHAT_API_TOKEN: parley.token };
    const script = (name) => runProgram(process.execPath, [`scripts/${name}`], { cwd: folder, env });
    await step("check-freshchat-channels: lists the channels", async () => {
      const said = await script("check-freshchat-channels.js");
      same("the channel's id", said.includes(parley.channel.id), true);
    });
    await step("check-freshchat-fields: shows users and their properties", async () => {
      const said = await script("check-freshchat-fields.js");
      same(`a user in ${said}`, /Found \d+ recent users/.test(said), true);
    });
  },
};
