const answer = require("./lib/answer.js");

exports = {
  answer(args) {
    renderData(null, answer(args));
  },
};
