/** Handler that the app and the emulator have in common. */
module.exports = ({ text }) => ({ words: text.split(" ").length, text: text.toUpperCase() });
