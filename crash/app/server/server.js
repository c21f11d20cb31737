/** Tells the run what the app hears, and is done with an event only when it was told. */
const tell = (kind, entity, id) => $request.invokeTemplate("heard", { body: JSON.stringify({ kind, entity, id }) });

exports = {
  async onConversationCreate({ data }) {
    const { conversation_id } = data.conversation;
    await tell("conversation_create", conversation_id, conversation_id);
  },
  async onMessageCreate({ data }) {
    const { conversation_id, messages } = data.message;
    await tell("message_create", conversation_id, messages[0].id);
  },
};
