/** Parsed expression between `<%=` and `%>`. A list of expressions is the concatenation of their texts. */
export type Expression =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly path: readonly [source: string, ...keys: string[]] }
  | { readonly kind: "encode"; readonly inner: ParsedTemplate }
  /** The first text, or the second if the first is empty. */
  | { readonly kind: "or"; readonly first: ParsedTemplate; readonly second: ParsedTemplate }
  /** "true" or "". */
  | {
      readonly kind: "compare";
      readonly left: ParsedTemplate;
      readonly right: ParsedTemplate;
      readonly isEqual: boolean;
    }
  | {
      readonly kind: "choice";
      readonly test: ParsedTemplate;
      readonly first: ParsedTemplate;
      readonly second: ParsedTemplate;
    };

/** A text with placeholders, as a sequence of expressions. */
export type ParsedTemplate = readonly Expression[];

/** Syntax error in a template. The message cites the text. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** Begins a placeholder. */
export const OPENING = "<%=";
const CLOSING = "%>";
/** Maximum length of a placeholder, which bounds the time for parsing and filling in. @units characters */
const PLACEHOLDER_LENGTH_MAX = 4_000;
const TOKEN = /\s*(?:([A-Za-z_$][\w$-]*(?:\s*\.\s*[\w$-]+)*)|"([^"]*)"|'([^']*)'|(\|\||[=!]==?|[()+?:])|(\S))/y;
const COMPARISONS = ["==", "===", "!=", "!=="];
/** Maximum nesting depth, which protects the stack. */
const NESTING_DEPTH_MAX = 50;

type Token = {
  readonly identifier?: string | undefined;
  readonly text?: string | undefined;
  readonly sign?: string | undefined;
};

const tokensOf = (source: string): Token[] => {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = source.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const [, identifier, double, single, sign, unexpected] = TOKEN.exec(source) ?? [];
    if (unexpected !== undefined) throw new TemplateError(`'${unexpected}' can't be read in <%=${source}%>`);
    tokens.push(
      identifier !== undefined ? { identifier: identifier.replace(/\s+/g, "") } : { text: double ?? single, sign },
    );
  }
  return tokens;
};

/**
 * choice := either ("?" choice ":" choice)?; either := compared ("||" compared)*; compared := sum (("==" | "!=") sum)?;
 * sum := part ("+" part)*; part := text | path | "encode"? "(" choice ")"
 */
const parse = (source: string): ParsedTemplate => {
  const tokens = tokensOf(source);
  function failUnreadable(): never {
    throw new TemplateError(`<%=${source}%> can't be read`);
  }
  const skip = (sign: string): boolean => {
    const isNext = tokens[0]?.sign === sign;
    if (isNext) tokens.shift();
    return isNext;
  };
  const demand = (sign: string): void => {
    if (!skip(sign)) failUnreadable();
  };
  let depth = 0;
  const inBrackets = (): ParsedTemplate => {
    depth += 1;
    if (depth > NESTING_DEPTH_MAX) failUnreadable();
    const inner = choice();
    demand(")");
    depth -= 1;
    return inner;
  };
  const part = (): ParsedTemplate => {
    if (skip("(")) return inBrackets();
    const { identifier, text } = tokens.shift() ?? {};
    if (text !== undefined) return [{ kind: "text", text }];
    if (identifier === undefined) failUnreadable();
    if (identifier === "encode" && skip("(")) return [{ kind: "encode", inner: inBrackets() }];
    return [{ kind: "value", path: identifier.split(".") as [string, ...string[]] }];
  };
  const sum = (): ParsedTemplate => {
    const parts = [...part()];
    while (skip("+")) parts.push(...part());
    return parts;
  };
  const compared = (): ParsedTemplate => {
    const left = sum();
    const sign = tokens[0]?.sign ?? "";
    if (!COMPARISONS.includes(sign)) return left;
    tokens.shift();
    return [{ kind: "compare", left, right: sum(), isEqual: sign.startsWith("=") }];
  };
  const either = (): ParsedTemplate => {
    let first = compared();
    while (skip("||")) first = [{ kind: "or", first, second: compared() }];
    return first;
  };
  const choice = (): ParsedTemplate => {
    const test = either();
    if (!skip("?")) return test;
    depth += 1;
    if (depth > NESTING_DEPTH_MAX) failUnreadable();
    const first = choice();
    demand(":");
    const second = choice();
    depth -= 1;
    return [{ kind: "choice", test, first, second }];
  };
  const expression = choice();
  if (tokens.length > 0) failUnreadable();
  return expression;
};

/** Parses a text with placeholders in linear time. @errors TemplateError */
export const parseTemplate = (text: string): ParsedTemplate => {
  const pieces: Expression[] = [];
  let from = 0;
  for (let at = text.indexOf("<%"); at >= 0; at = text.indexOf("<%", from)) {
    const end = text.startsWith(OPENING, at) ? text.indexOf(CLOSING, at + OPENING.length) : -1;
    if (end < 0)
      throw new TemplateError(`'${text.slice(at, at + PLACEHOLDER_LENGTH_MAX)}' is not closed or not '${OPENING}'`);
    if (end - at > PLACEHOLDER_LENGTH_MAX)
      throw new TemplateError(`a hole is longer than ${PLACEHOLDER_LENGTH_MAX} characters`);
    if (at > from) pieces.push({ kind: "text", text: text.slice(from, at) });
    pieces.push(...parse(text.slice(at + OPENING.length, end)));
    from = end + CLOSING.length;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
};

/** Operands of an expression. */
const within = (piece: Expression): readonly ParsedTemplate[] => {
  if (piece.kind === "encode") return [piece.inner];
  if (piece.kind === "or") return [piece.first, piece.second];
  if (piece.kind === "compare") return [piece.left, piece.right];
  return piece.kind === "choice" ? [piece.test, piece.first, piece.second] : [];
};

/** All paths that the template reads, at any depth. */
export const pathsIn = (template: ParsedTemplate): (readonly [string, ...string[]])[] =>
  template.flatMap((piece) => (piece.kind === "value" ? [piece.path] : within(piece).flatMap(pathsIn)));

/** Whether the platform version has `request.get` and the like with `whitelisted-domains` instead of templates: up to 2.2. */
export const hasVerbs = (platformVersion: string): boolean => {
  const [major = 0, minor = 0] = platformVersion.split(".").map(Number);
  return major < 2 || (major === 2 && minor <= 2);
};
