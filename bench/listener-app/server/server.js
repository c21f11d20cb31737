exports = {
  /** Says how long ago the message was sent. */
  onMessageCreateHandler: function (args) {
    const [message] = args.data.message.messages;
    const sent = Number(message.message_parts[0].text.content);
    if (sent > 0) console.info("late " + (Date.now() - sent).toFixed(1));
  },
};
