import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { editorSchemas } from "@parley/framework/authoring";

/** A file of a new app, by its way from the app's folder, with `/`. */
interface NewFile {
  readonly path: string;
  readonly text: string;
}

interface TemplateKind {
  /** A sentence for people, and the app's own description. */
  readonly description: string;
  /** How paths begin that are taken from the usual template; a folder of the template's own name holds the others. */
  readonly shares: readonly string[];
}

/** What every app has. */
const ALWAYS = ["tsconfig.json", "gitignore", "package.json", "README.md", "types/"];

/** What an app may begin as; the first is the usual one. */
export const APP_TEMPLATES = {
  greeter: { description: "Greets customers once in each conversation, and shows agents the customer.", shares: [""] },
  page: { description: "Shows agents the customer beside a conversation.", shares: [...ALWAYS, "app/"] },
  events: { description: "Handles new conversations and messages.", shares: ALWAYS },
  oauth: { description: "Calls another service on behalf of the user who authorised it.", shares: [...ALWAYS, "app/"] },
  parameters: {
    description: "Has installation parameters with callbacks that validate and show them.",
    shares: ALWAYS,
  },
} as const satisfies Readonly<Record<string, TemplateKind>>;
export type AppTemplate = keyof typeof APP_TEMPLATES;
export const appTemplateNames = Object.keys(APP_TEMPLATES) as AppTemplate[];

const ENDING = ".tmpl";
const NAME = /__NAME__/g;
const DESCRIPTION = /__DESCRIPTION__/g;

/** Beside the source, or beside the bundle that was made of it. */
const folderBeside = (folder: string): string =>
  [`./${folder}/`, `../src/init/${folder}/`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ?? "";

/** npm would take a file of the name itself for its own. */
const placeOf = (path: string): string => path.slice(0, -ENDING.length).replace(/^gitignore$/, ".gitignore");

/** Texts of the files below a folder, by their path from there, without the ending. */
async function textsBelow(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(ENDING))
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [relative(folder, path).split(sep).join("/"), await readFile(path, "utf8")] as const;
      }),
  );
  return new Map(texts);
}

/** All files of a new app, in the order of their names. */
export async function newFiles(name: string, template: AppTemplate): Promise<NewFile[]> {
  const { description, shares } = APP_TEMPLATES[template];
  const usual = await textsBelow(folderBeside("template"));
  const texts = new Map([...usual].filter(([path]) => shares.some((begin) => path.startsWith(begin))));
  if (template !== "greeter")
    for (const folder of ["templates/_shared", `templates/${template}`])
      for (const [path, text] of await textsBelow(folderBeside(folder))) texts.set(path, text);
  const written = [...texts].map(([path, text]) => ({
    path: placeOf(path),
    text: text.replace(NAME, name).replace(DESCRIPTION, description),
  }));
  const schemas = Object.entries(editorSchemas()).map(([file, schema]) => ({
    path: `types/${file}`,
    text: `${JSON.stringify(schema, null, 2)}\n`,
  }));
  return [...written, ...schemas].sort((one, other) => (one.path < other.path ? -1 : 1));
}
