/** Actions of the handler, by the text of the message. */
const actions = {
  returns: () => undefined,
  logs: () => console.info("heard"),
  asks: (id) => $request.invokeTemplate("getUser", { context: { id } }),
  reads: (id) => $db.get(id).catch(() => undefined),
  writes: (id) => $db.set(id, { heard: true }),
};

exports = {
  onMessageCreateHandler: async function (args) {
    const [message] = args.data.message.messages;
    const action = actions[message.message_parts[0].text.content];
    await action?.(message.actor_id);
  },
};
