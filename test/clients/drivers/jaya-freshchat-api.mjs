import { createRequire } from "node:module";
import { join } from "node:path";
import { useCommonFunctions } from "../jaya.mjs";
import { same } from "../parley.mjs";

/** A client that apps and bots of a support team use. */
export default {
  name: "jaya-freshchat-api",
  package: "@freshworks-jaya/freshchat-api",
  version: "0.5.0",
  language: "TypeScript",
  async drive({ parley, folder, step }) {
    const { default: Client } = createRequire(join(folder, "index.js"))("@freshworks-jaya/freshchat-api");
    const client = new Client(parley.url, parley.token);
    await useCommonFunctions({ client, parley, step });
    await step("sendPrivateNote, with an agent and with the first one listed", async () => {
      const { conversation } = await parley.converse();
      for (const agent of [parley.agents[0].id, undefined]) {
        const answer = await client.sendPrivateNote(conversation, "Careful", agent);
        same("the answer", [answer.status, answer.data?.message_type], [200, "private"]);
      }
    });
  },
};
