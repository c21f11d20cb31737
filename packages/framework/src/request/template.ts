/** What stands between `<%=` and `%>`, read. */
export type Expression =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly path: readonly [source: string, ...keys: string[]] }
  | { readonly kind: "encode"; readonly inner: readonly Expression[] };

/** A text with holes: its pieces one after the other. */
export type Template = readonly Expression[];

/** The template can't be read; the message says what stands there. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

const HOLE = /<%=([\s\S]*?)%>/g;
const TOKEN = /\s*(?:([A-Za-z_$][\w$-]*(?:\s*\.\s*[\w$-]+)*)|"([^"]*)"|'([^']*)'|([()+])|(\S))/y;

type Token = {
  readonly word?: string | undefined;
  readonly text?: string | undefined;
  readonly sign?: string | undefined;
};

const tokensOf = (source: string): Token[] => {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = source.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const [, word, double, single, sign, strange] = TOKEN.exec(source) ?? [];
    if (strange !== undefined) throw new TemplateError(`'${strange}' can't be read in <%=${source}%>`);
    tokens.push(word !== undefined ? { word: word.replace(/\s+/g, "") } : { text: double ?? single, sign });
  }
  return tokens;
};

/** sum := part ("+" part)*; part := text | path | "encode" "(" sum ")" */
const parse = (source: string): Expression[] => {
  const tokens = tokensOf(source);
  const wrong = () => new TemplateError(`<%=${source}%> can't be read`);
  const part = (): Expression => {
    const { word, text } = tokens.shift() ?? {};
    if (text !== undefined) return { kind: "text", text };
    if (word === undefined) throw wrong();
    if (word === "encode" && tokens[0]?.sign === "(") {
      tokens.shift();
      const inner = sum();
      if (tokens.shift()?.sign !== ")") throw wrong();
      return { kind: "encode", inner };
    }
    return { kind: "value", path: word.split(".") as [string, ...string[]] };
  };
  const sum = (): Expression[] => {
    const parts = [part()];
    while (tokens[0]?.sign === "+") {
      tokens.shift();
      parts.push(part());
    }
    return parts;
  };
  const whole = sum();
  if (tokens.length > 0) throw wrong();
  return whole;
};

/** Reads a text with holes. @errors TemplateError */
export const parseTemplate = (text: string): Template => {
  const pieces: Expression[] = [];
  let from = 0;
  for (const hole of text.matchAll(HOLE)) {
    if (hole.index > from) pieces.push({ kind: "text", text: text.slice(from, hole.index) });
    pieces.push(...parse(hole[1] ?? ""));
    from = hole.index + hole[0].length;
  }
  if (text.indexOf("<%", from) >= 0)
    throw new TemplateError(`'${text.slice(text.indexOf("<%", from))}' is not closed or not '<%='`);
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
};

/** Every path that the template reads, those inside `encode` too. */
export const pathsIn = (template: Template): (readonly [string, ...string[]])[] =>
  template.flatMap((piece) =>
    piece.kind === "value" ? [piece.path] : piece.kind === "encode" ? pathsIn(piece.inner) : [],
  );
