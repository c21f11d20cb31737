/** Removes secure values from the output of an app's process before it is logged, recorded or shown. */
interface Redactor {
  /** Adds values to redact from now on. */
  add(values: readonly string[]): void;
  text(text: string): string;
  /** @shape value: a JSON value */
  value(value: unknown): unknown;
  /** Whether a JSON value contains a secure value. */
  isIn(value: unknown): boolean;
}

const MASK = "[secure value]";
/** Shorter values are not redacted: they occur in any text and are not secrets. @units characters */
const SECRET_LENGTH_MIN = 4;
/** Minimum length of an encoded value, below which it could match unrelated text. @units characters */
const ENCODED_LENGTH_MIN = 6;
/** Maximum nesting depth; deeper values are masked whole to protect the stack. */
const NESTING_DEPTH_MAX = 200;
/** Suffix with which the app's process marks a truncated text. */
const TRUNCATION_MARK = " …";

/**
 * Base64 of the value as it appears inside a longer base64 text, for a value that begins at the given byte offset modulo 3. Characters that
 * also depend on neighbouring bytes are left out.
 */
const encodedAt = (value: string, offset: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const encoded = bytes.toString("base64");
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
};

/** All forms in which a value is searched: literal, line by line, JSON-escaped, percent-encoded, base64 and base64url. */
const formsOf = (value: string): string[] => {
  const lines = value.split(/\r?\n/);
  const plain = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(Buffer.from(value).toString()),
    ...lines,
  ];
  const encoded = [0, 1, 2].flatMap((offset) => {
    const text = encodedAt(value, offset);
    return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [
    ...plain.filter(({ length }) => length >= SECRET_LENGTH_MIN),
    ...encoded.filter(({ length }) => length >= ENCODED_LENGTH_MIN),
  ];
};

/** Length of the text's suffix that is a prefix of the form; 0 if it is shorter than the minimum. */
const prefixLengthAtEnd = (text: string, form: string): number => {
  const first = form.charCodeAt(0);
  for (let at = Math.max(0, text.length - form.length + 1); at <= text.length - SECRET_LENGTH_MIN; at += 1)
    if (text.charCodeAt(at) === first && form.startsWith(text.slice(at))) return text.length - at;
  return 0;
};

export const createRedactor = (): Redactor => {
  const secrets = new Set<string>();
  /** Sorted longest first, since a shorter form may be part of a longer form. */
  let forms: readonly string[] = [];

  /** Masks the beginning of a value at the end of a truncated text. */
  const maskTruncatedEnd = (text: string): string => {
    if (!text.endsWith(TRUNCATION_MARK)) return text;
    const body = text.slice(0, -TRUNCATION_MARK.length);
    const longest = Math.max(0, ...forms.map((form) => prefixLengthAtEnd(body, form)));
    return longest === 0 ? text : body.slice(0, -longest) + MASK + TRUNCATION_MARK;
  };
  const redactText = (text: string): string =>
    forms.length === 0 ? text : maskTruncatedEnd(forms.reduce((masked, form) => masked.replaceAll(form, MASK), text));
  const redactValue = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return redactText(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= NESTING_DEPTH_MAX) return MASK;
    if (Array.isArray(value)) return value.map((one) => redactValue(one, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [redactText(name), redactValue(one, depth + 1)]),
    );
  };
  return {
    add(values) {
      const before = secrets.size;
      for (const value of values) if (value !== "true" && value !== "false") secrets.add(value);
      if (secrets.size === before) return;
      forms = [...new Set([...secrets].flatMap(formsOf))].sort((one, other) => other.length - one.length);
    },
    text: redactText,
    value: (value) => (forms.length === 0 ? value : redactValue(value, 0)),
    isIn: (value) => forms.length > 0 && JSON.stringify(redactValue(value, 0)) !== JSON.stringify(value),
  };
};
