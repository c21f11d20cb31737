/** Latencies in one log line: the length of lines is limited, and logging each event would take longer than the event. */
const LATENCIES_PER_LINE = 25;
const late = [];

exports = {
  /** Logs the latencies of messages, whose text is the time when they were sent. */
  onMessageCreateHandler: function (args) {
    const [message] = args.data.message.messages;
    const sent = Number(message.message_parts[0].text.content);
    if (sent > 0) late.push((Date.now() - sent).toFixed(1));
    if (late.length >= LATENCIES_PER_LINE) console.info("late " + late.splice(0).join(" "));
  },
};
