/** What both sides of the bench run. */
module.exports = ({ text }) => ({ words: text.split(" ").length, text: text.toUpperCase() });
