/** What the handler does, by the text of the message that it hears. */
const deeds = {
  returns: () => undefined,
  logs: () => console.info("heard"),
  asks: (id) => $request.invokeTemplate("getUser", { context: { id } }),
  reads: (id) => $db.get(id).catch(() => undefined),
  writes: (id) => $db.set(id, { heard: true }),
};

exports = {
  onMessageCreateHandler: async function (args) {
    const [message] = args.data.message.messages;
    const deed = deeds[message.message_parts[0].text.content];
    await deed?.(message.actor_id);
  },
};
