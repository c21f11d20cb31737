/** Functions that two published clients share: one client is a fork of the other. */
import { same, until } from "./parley.mjs";

/** Calls each function once. @shape client: an instance of the client; step: run.mjs's */
export const useCommonFunctions = async ({ client, parley, step }) => {
  const [agent] = parley.agents;
  const group = parley.groups.find(({ id }) => agent.groups.includes(id)) ?? parley.groups[0];
  const newConversation = async () => (await parley.converse()).conversation;
  const present = (id) => parley.call("GET", `/conversations/${id}`);

  await step("conversationAssign to an agent", async () => {
    const { status, data } = await client.conversationAssign(await newConversation(), agent.id, "agent", "assigned");
    same("the answer", [status, data.status, data.assigned_agent_id], [200, "assigned", agent.id]);
  });
  await step("conversationAssign to a group, as new and as assigned", async () => {
    for (const word of ["new", "assigned"]) {
      const { data } = await client.conversationAssign(await newConversation(), group.id, "group", word);
      same("the answer", [data.status, data.assigned_group_id], ["new", group.id]);
    }
  });
  await step("postMessage as agent and as bot, normal and private", async () => {
    const id = await newConversation();
    for (const [type, actor, actorId] of [
      ["normal", "agent", agent.id],
      ["private", "agent", agent.id],
      ["normal", "bot", undefined],
      ["normal", undefined, undefined],
    ]) {
      const { status, data } = await client.postMessage(id, "Good day", type, actor, actorId);
      same("the answer", [status, data.message_type, data.actor_type], [200, type, actor ?? "bot"]);
      same("the text", data.message_parts[0].text.content, "Good day");
    }
  });
  await step("conversationStatusUpdate: resolved, then new", async () => {
    const id = await newConversation();
    same("the answer", (await client.conversationStatusUpdate(id, "resolved")).data.status, "resolved");
    same("the stored values", (await present(id)).status, "resolved");
    same("the answer", (await client.conversationStatusUpdate(id, "new")).data.status, "new");
    same("the system's message", (await parley.messagesOf(id))[0].meta_data, { isReopen: true });
  });
  await step("conversationStatusUpdate: assigned, without an agent, is refused", async () => {
    const refused = await client
      .conversationStatusUpdate(await newConversation(), "assigned")
      .catch((error) => error.response);
    same("the status", refused.status, 400);
  });
  await step("sendQuickreply", async () => {
    const { data } = await client.sendQuickreply(await newConversation(), "Which?", ["One", "Two"]);
    const labels = data.reply_parts[0].collection.sub_parts.map((part) => part.quick_reply_button.label);
    same("the labels", labels, ["One", "Two"]);
  });
  await step("sendNormalReplyText as agent and as bot", async () => {
    const id = await newConversation();
    same("the actor", (await client.sendNormalReplyText(id, "Hi", agent.id)).data.actor_type, "agent");
    same("the actor", (await client.sendNormalReplyText(id, "Hi")).data.actor_type, "bot");
  });
  await step("updateUser", async () => {
    const { id } = await parley.user();
    const { status, data } = await client.updateUser(id, { last_name: "Lee", phone: "+12015550123" });
    same("the answer", [status, data], [202, ""]);
    const stored = await parley.call("GET", `/users/${id}`);
    same("the stored values", [stored.first_name, stored.last_name], ["Ann", "Lee"]);
  });
  await step("getUnassignedCountGivenGroupId", async () => {
    const before = await client.getUnassignedCountGivenGroupId(group.id, 0);
    await client.conversationAssign(await newConversation(), group.id, "group", "new");
    await until("the count", async () => (await client.getUnassignedCountGivenGroupId(group.id, 0)) === before + 1);
    same("that of an hour ago", await client.getUnassignedCountGivenGroupId(group.id, 60), 0);
  });
  await step("getAverageWaitTimeGivenGroupId", async () => {
    const id = await newConversation();
    await client.conversationAssign(id, group.id, "group", "new");
    await client.conversationAssign(id, agent.id, "agent", "assigned");
    await until("a number", async () => (await client.getAverageWaitTimeGivenGroupId(group.id, 1)) >= 0);
    same("that of an unknown group", await client.getAverageWaitTimeGivenGroupId("no such group", 1), 0);
  });
};
