import { styleText } from "node:util";
import type { Invocation, InvocationRequest } from "@parley/contract";
import { printable } from "../output/table.ts";

/** Level of detail of a printed invocation: everything, or an excerpt for lists. */
type Detail = "full" | "brief";

const INDENT = "  ";
/** Width when the output is not a terminal. @units columns */
const DEFAULT_COLUMNS = 80;

const width = () => Math.max(40, process.stdout.columns ?? DEFAULT_COLUMNS) - INDENT.length;

/** Breaks a text into lines that fit the terminal, at spaces where possible. */
const wrapped = (text: string): string[] =>
  printable(text)
    .split("\n")
    .flatMap((line) => {
      const parts: string[] = [];
      for (let rest = line; ;) {
        if (rest.length <= width()) return [...parts, rest];
        const space = rest.lastIndexOf(" ", width());
        const at = space > width() / 2 ? space : width();
        parts.push(rest.slice(0, at));
        rest = rest.slice(at).trimStart();
      }
    });

const indented = (text: string, style: Parameters<typeof styleText>[0] = "reset"): string[] =>
  wrapped(text).map((line) => INDENT + styleText(style, line));

const truncate = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

const requestLine = ({ method, url, status, failure, attempts, ms, template }: InvocationRequest): string =>
  [
    `${method} ${url} → ${status === 0 ? "none" : status}`,
    `${ms} ms`,
    ...(template === undefined ? [] : [template]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(failure === undefined ? [] : [failure]),
  ].join(", ");

const dataLines = (title: string, value: unknown, detail: Detail): string[] => {
  if (value === undefined) return [];
  if (detail === "full") return [...indented(`${title}:`, "dim"), ...indented(JSON.stringify(value, null, 2))];
  return [INDENT + styleText("dim", truncate(printable(`${title}: ${JSON.stringify(value)}`), width()))];
};

/** Formats one invocation of a handler for the terminal. */
export const invocationText = (invocation: Invocation, detail: Detail): string => {
  const { ok, event, handler, ms, begun, id, error, stack, lines, requests } = invocation;
  const mark = ok ? styleText("green", "✔") : styleText("red", "✖");
  const outcome = `${ok ? "ok" : "failed"} in ${ms} ms`;
  return [
    `${mark} ${styleText("bold", printable(event))}  ${outcome}  ${styleText("dim", begun)}`,
    INDENT + styleText("dim", `${printable(handler)}  ${id}`),
    ...dataLines("payload", invocation.payload, detail),
    ...lines.flatMap(({ level, text }) =>
      indented(`${level}: ${text}`, level === "error" ? "red" : level === "warn" ? "yellow" : "reset"),
    ),
    ...requests.flatMap((request) => indented(requestLine(request), "cyan")),
    ...dataLines("output", invocation.output, detail),
    ...(ok ? [] : indented(stack ?? error ?? "It failed without a message.", "red")),
  ].join("\n");
};
