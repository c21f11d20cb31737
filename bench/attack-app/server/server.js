/** An app that floods the log of its host. */
const flood = (text, frames) => {
  for (let frame = 0; frame < frames; frame += 1) console.log(text);
};

exports = {
  logNewlines() {
    flood("\n".repeat(20000), 220);
  },
  logLines() {
    flood("x\n".repeat(200000), 100);
  },
};
