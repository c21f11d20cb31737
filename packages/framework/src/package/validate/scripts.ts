import type { Bundler } from "../bundler/bundler.ts";
import { outlineOf } from "../load/bundle.ts";
import type { FindingWithPath } from "../../model/finding.ts";
import { CALLBACK_NAMES, PAGE_NAMES, SERVER_NAMES } from "./global-names.ts";
import { lint } from "./lint.ts";
import type { AppSource, AppSources } from "./sources.ts";

/** Help for globals that server/ does not have. */
const SERVER_HELP: Readonly<Record<string, string>> = {
  WebSocket: "Use $request: server/ has no network of its own.",
  window: "server/ does not run in a browser.",
  document: "server/ does not run in a browser.",
  client: "Use $request, $db and $schedule in server/.",
};

const SCRIPT_TAG = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;
const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
/** Matches the client script, which the host replaces. */
const CLIENT_SCRIPT = /fresh_client|\{\{\{\s*appclient\s*\}\}\}/i;

const tagsIn = (pages: readonly AppSource[]) =>
  pages.flatMap(({ text }) =>
    [...text.matchAll(SCRIPT_TAG)].map(([, attributes = "", body = ""]) => ({ attributes, body })),
  );

/** Whether pages load scripts from other hosts, whose globals are unknown. */
const hasExternalScripts = (pages: readonly AppSource[]) =>
  tagsIn(pages).some(
    ({ attributes }) => /\bsrc\s*=\s*["']?(?:https?:)?\/\//i.test(attributes) && !CLIENT_SCRIPT.test(attributes),
  );

const wordsIn = (pages: readonly AppSource[]) => tagsIn(pages).flatMap(({ body }) => body.match(IDENTIFIER) ?? []);

interface AppScripts {
  readonly folder: string;
  readonly app: AppSources;
  readonly server: AppSources;
  readonly assets: AppSources;
  readonly hasOwnPage: boolean;
}

/** Checks the scripts of all parts of the app, each in the mode in which it will run. */
export async function scriptRules(
  bundler: Bundler,
  { folder, app, server, assets, hasOwnPage }: AppScripts,
): Promise<FindingWithPath[]> {
  const typed = [app, server, assets].flatMap(({ own }) => own.filter(({ file }) => /ts$/i.test(file)));
  const all = await Promise.all([
    ...typed.map(async (source) => (await outlineOf(bundler, { folder, ...source })).errors),
    lint(app.own, {
      defaultSourceType: "script",
      globals: [...PAGE_NAMES, ...wordsIn(app.pages)],
      acceptsCapitalised: true,
      hasUnknownGlobals: app.foreign.length > 0 || hasExternalScripts(app.pages),
    }),
    lint(server.own, {
      defaultSourceType: "commonjs",
      globals: SERVER_NAMES,
      acceptsCapitalised: false,
      hasUnknownGlobals: false,
      help: SERVER_HELP,
    }),
    lint(assets.own, {
      defaultSourceType: "script",
      globals: CALLBACK_NAMES,
      acceptsCapitalised: true,
      // The app's own page may load further scripts.
      hasUnknownGlobals: hasOwnPage || assets.foreign.length > 0,
    }),
  ]);
  return all.flat();
}
