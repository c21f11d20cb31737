import { createRequire } from "node:module";
import { join } from "node:path";
import { useCommonFunctions } from "../jaya.mjs";
import { same, until } from "../parley.mjs";

/** A client that also writes transcripts and downloads raw reports. */
export default {
  name: "freshchat-api-wrapper",
  package: "@arbaan-gt/freshchat-api-wrapper",
  version: "0.1.3",
  language: "TypeScript",
  overrides: { "@freshworks-jaya/utilities": "1.0.0" },
  needs: ["a later version of one dependency, whose own is no longer published"],
  async drive({ parley, folder, step }) {
    const { default: Client } = createRequire(join(folder, "index.js"))("@arbaan-gt/freshchat-api-wrapper");
    const client = new Client(parley.url, parley.token);
    const [agent] = parley.agents;
    await useCommonFunctions({ client, parley, step });
    const { conversation, user } = await parley.talk("Is it here?");
    await step("sendReply with parts", async () => {
      const parts = [{ text: { content: "It is" } }];
      const { data } = await client.sendReply(conversation, "normal", "agent", parts, undefined, agent.id);
      same("the actor and the text", [data.actor_id, data.message_parts[0].text.content], [agent.id, "It is"]);
    });
    await step("getUserById, getAgentById, getAgentsById", async () => {
      same("the user", (await client.getUserById(user)).first_name, "Ann");
      same("the agent", (await client.getAgentById(agent.id)).id, agent.id);
      const ids = parley.agents.slice(0, 2).map(({ id }) => id);
      same(
        "the agents",
        (await client.getAgentsById(ids)).map(({ id }) => id),
        ids,
      );
    });
    await step("getConversationMessages over three pages, by the links of the answers", async () => {
      const long = await parley.talk("0");
      for (let count = 1; count <= 120; count += 1) await client.sendNormalReplyText(long.conversation, String(count));
      const messages = await client.getConversationMessages(long.conversation);
      const texts = messages.flatMap(({ message_parts: [part] }) => part?.text?.content ?? []);
      same("the number of different texts", new Set(texts).size, 121);
      same("of ten", (await client.getConversationMessages(long.conversation, { messagesLimit: 10 })).length, 10);
    });
    const [start, end] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    await step("getConversationTranscript, as HTML and as text", async () => {
      for (const output of ["html", "text"]) {
        const options = { output, isIncludeFreshchatLink: true };
        const said = await client.getConversationTranscript(parley.origin, "1", conversation, start, end, options);
        const found = ["Is it here?", "It is", agent.first_name, conversation].filter((text) => !said.includes(text));
        same(`what is missing in the ${output}`, found, []);
      }
    });
    await step("triggerRawReports and retrieveRawReports", async () => {
      const { id } = await client.triggerRawReports(start, end, "Conversation-Created", true);
      const report = await until("the report", async () => {
        const found = await client.retrieveRawReports(id);
        return found.status === "COMPLETED" && found;
      });
      same("its links have files", report.links.length > 0 && report.links.every(({ link }) => link.href !== ""), true);
    });
  },
};
