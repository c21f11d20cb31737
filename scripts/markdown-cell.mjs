/** Text of a cell in a table of Markdown. */
export const cell = (text) => text.replaceAll("|", "\\|");

/** A placeholder such as <domain> would be taken for HTML. */
export const code = (text) => text.replace(/\S*<[^>]+>\S*(?<![;:,.])/g, "`$&`");
