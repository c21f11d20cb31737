import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { editorSchemas } from "@parley/framework/authoring";

/** A file of a new app; `path` is relative to the app's folder, with `/`. */
interface NewFile {
  readonly path: string;
  readonly text: string;
}

interface TemplateKind {
  /** Shown in the list of templates; also the description of the new app. */
  readonly description: string;
  /** Path prefixes of the files that are taken from the default template. The other files are in the folder named after the template. */
  readonly sharedPrefixes: readonly string[];
}

/** Files that every app has. */
const COMMON_FILES = ["tsconfig.json", "gitignore", "package.json", "README.md", "types/"];

/** Templates of apps; the first one is the default. */
export const APP_TEMPLATES = {
  greeter: {
    description: "Greets customers once in each conversation, and shows agents the customer.",
    sharedPrefixes: [""],
  },
  page: { description: "Shows agents the customer next to a conversation.", sharedPrefixes: [...COMMON_FILES, "app/"] },
  events: { description: "Handles new conversations and messages.", sharedPrefixes: COMMON_FILES },
  oauth: {
    description: "Calls another service on behalf of the user who authorised it.",
    sharedPrefixes: [...COMMON_FILES, "app/"],
  },
  parameters: {
    description: "Has installation parameters with callbacks that validate and show them.",
    sharedPrefixes: COMMON_FILES,
  },
} as const satisfies Readonly<Record<string, TemplateKind>>;
export type AppTemplate = keyof typeof APP_TEMPLATES;
export const appTemplateNames = Object.keys(APP_TEMPLATES) as AppTemplate[];

const TEMPLATE_EXTENSION = ".tmpl";
const NAME_PLACEHOLDER = /__NAME__/g;
const DESCRIPTION_PLACEHOLDER = /__DESCRIPTION__/g;

/** Path of a template folder, from the source or from the bundle. */
const templateFolder = (folder: string): string =>
  [`./${folder}/`, `../src/init/${folder}/`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ?? "";

/** The template is named `gitignore`, because npm would apply a .gitignore file when it packs this package. */
const targetPath = (path: string): string =>
  path.slice(0, -TEMPLATE_EXTENSION.length).replace(/^gitignore$/, ".gitignore");

/** Texts of the template files under a folder, by relative path without the extension. */
async function templateTexts(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(TEMPLATE_EXTENSION))
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [relative(folder, path).split(sep).join("/"), await readFile(path, "utf8")] as const;
      }),
  );
  return new Map(texts);
}

/** All files of a new app, sorted by path. */
export async function newFiles(name: string, template: AppTemplate): Promise<NewFile[]> {
  const { description, sharedPrefixes } = APP_TEMPLATES[template];
  const defaults = await templateTexts(templateFolder("template"));
  const texts = new Map([...defaults].filter(([path]) => sharedPrefixes.some((prefix) => path.startsWith(prefix))));
  if (template !== "greeter")
    for (const folder of ["templates/_shared", `templates/${template}`])
      for (const [path, text] of await templateTexts(templateFolder(folder))) texts.set(path, text);
  const written = [...texts].map(([path, text]) => ({
    path: targetPath(path),
    text: text.replace(NAME_PLACEHOLDER, name).replace(DESCRIPTION_PLACEHOLDER, description),
  }));
  const schemas = Object.entries(editorSchemas()).map(([file, schema]) => ({
    path: `types/${file}`,
    text: `${JSON.stringify(schema, null, 2)}\n`,
  }));
  return [...written, ...schemas].sort((one, other) => (one.path < other.path ? -1 : 1));
}
