/** Times that stand in one line: lines are bounded, and cost more than what is measured. */
const TOGETHER = 25;
const late = [];

exports = {
  /** Says how long ago messages were sent: the text of each is its time. */
  onMessageCreateHandler: function (args) {
    const [message] = args.data.message.messages;
    const sent = Number(message.message_parts[0].text.content);
    if (sent > 0) late.push((Date.now() - sent).toFixed(1));
    if (late.length >= TOGETHER) console.info("late " + late.splice(0).join(" "));
  },
};
