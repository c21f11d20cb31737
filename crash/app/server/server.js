/** Reports an event to the run. The handler ends, and the event counts as delivered, only after the report was accepted. */
const report = (kind, entity, id) => $request.invokeTemplate("heard", { body: JSON.stringify({ kind, entity, id }) });

exports = {
  async onConversationCreate({ data }) {
    const { conversation_id } = data.conversation;
    await report("conversation_create", conversation_id, conversation_id);
  },
  async onMessageCreate({ data }) {
    const { conversation_id, messages } = data.message;
    await report("message_create", conversation_id, messages[0].id);
  },
};
