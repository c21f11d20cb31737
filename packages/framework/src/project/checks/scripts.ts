import type { Bundler } from "../../bundler/bundler.ts";
import { outlineOf } from "../bundle.ts";
import type { Found } from "../finding.ts";
import { CALLBACK_NAMES, PAGE_NAMES, SERVER_HELP, SERVER_NAMES } from "./known-names.ts";
import { lint } from "./lint.ts";
import type { Source, Sources } from "./sources.ts";

const SCRIPT_TAG = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;
const WORD = /[A-Za-z_$][\w$]*/g;
/** The host puts its own script there. */
const CLIENT = /fresh_client|\{\{\{appclient\}\}\}/;

const tagsIn = (pages: readonly Source[]) =>
  pages.flatMap(({ text }) =>
    [...text.matchAll(SCRIPT_TAG)].map(([, attributes = "", body = ""]) => ({ attributes, body })),
  );

/** Scripts from elsewhere bring names that nobody here can tell. */
const hasStrangers = (pages: readonly Source[]) =>
  tagsIn(pages).some(
    ({ attributes }) => /\bsrc\s*=\s*["']?(?:https?:)?\/\//i.test(attributes) && !CLIENT.test(attributes),
  );

const wordsIn = (pages: readonly Source[]) => tagsIn(pages).flatMap(({ body }) => body.match(WORD) ?? []);

export interface Scripts {
  readonly folder: string;
  readonly app: Sources;
  readonly server: Sources;
  readonly assets: Sources;
  readonly hasOwnPage: boolean;
}

/** Scripts of all parts of the app, each read as it will be run. */
export async function scriptRules(
  bundler: Bundler,
  { folder, app, server, assets, hasOwnPage }: Scripts,
): Promise<Found[]> {
  const typed = [app, server, assets].flatMap(({ own }) => own.filter(({ file }) => /ts$/i.test(file)));
  const all = await Promise.all([
    ...typed.map(async (source) => (await outlineOf(bundler, { folder, ...source })).errors),
    lint(app.own, {
      usual: "script",
      known: [...PAGE_NAMES, ...wordsIn(app.pages)],
      letCapitals: true,
      isOpen: app.foreign.length > 0 || hasStrangers(app.pages),
    }),
    lint(server.own, { usual: "commonjs", known: SERVER_NAMES, letCapitals: false, isOpen: false, help: SERVER_HELP }),
    lint(assets.own, {
      usual: "script",
      known: CALLBACK_NAMES,
      letCapitals: true,
      // A page of the app's own has other scripts than the host's.
      isOpen: hasOwnPage || assets.foreign.length > 0,
    }),
  ]);
  return all.flat();
}
