/** How a cell begins that spreadsheets evaluate: the operators, also as full-width characters, and characters that they skip before an operator. */
const FORMULA = /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r\n]/;

/** -> a text that a spreadsheet shows and never evaluates: with a leading apostrophe where needed, as in raw reports. Names are texts of people. */
export const spreadsheetText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
