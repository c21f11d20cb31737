/** Reads the tags `@spec` and `@assumed` of docstrings. */
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./installed.mjs";

const SOURCES = ["packages", "server", "config", "app"];
const NO_SOURCES = ["node_modules", "dist", "test"];

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !NO_SOURCES.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : /\.(ts|mjs)$/.test(path) ? [path] : [];
    });

/** Name of the declaration or table row that a docstring precedes; "" when it precedes no declaration or row. */
const nameOf = (line) =>
  /^(?:export\s+)?(?:async\s+)?(?:const|function|interface|type)\s+(\w+)/.exec(line)?.[1] ??
  /^["']?([\w-]+(?:: [\d_]+)?)["']?\??[:,]/.exec(line)?.[1] ??
  "";

const oneLine = (text) => text.replace(/\s+/g, " ").trim();

const docstringsIn = (file) =>
  [...readFileSync(file, "utf8").matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*([^\n]*)/g)].map(([, comment, below]) => {
    const text = comment.replace(/^\s*\*? ?/gm, "").trim();
    const parts = text.split(/(?=@(?:assumed|spec|shape|units|errors|returns)\b)/);
    // A docstring may start with a tag.
    const [summary, tags] = text.startsWith("@") ? ["", parts] : [parts[0], parts.slice(1)];
    const textsOf = (tag) => tags.filter((part) => part.startsWith(tag)).map((part) => oneLine(part.slice(tag.length)));
    return {
      file: relative(root, file),
      name: nameOf(below),
      summary: oneLine(summary),
      spec: textsOf("@spec"),
      assumed: textsOf("@assumed"),
    };
  });

/**
 * All docstrings of the sources that have one of the two tags.
 * @shape [{file, name, summary, spec: [section], assumed: [text]}]: `file` relative to the root; an empty text of `assumed` means
 * that the summary states the choice
 */
export const taggedDocstrings = () =>
  SOURCES.flatMap((folder) => filesBelow(join(root, folder)))
    .flatMap(docstringsIn)
    .filter(({ spec, assumed }) => spec.length + assumed.length > 0);
