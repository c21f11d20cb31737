/** Text that is already HTML. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Piece = string | number | Markup | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const printed = (piece: Piece): string =>
  piece instanceof Markup
    ? piece.text
    : typeof piece === "object"
      ? piece.map(({ text }) => text).join("")
      : String(piece).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** Builds HTML. Interpolated values are escaped unless they were built by this function. */
export const html = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  new Markup(parts.reduce((text, part, index) => text + printed(pieces[index - 1] ?? "") + part));
