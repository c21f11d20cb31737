import { readdir } from "node:fs/promises";
import { appFilePath, readAppFileText } from "../files/app-file.ts";
import { type Finding, isRunnable, type FoundDetail, type JsonPath } from "../model/finding.ts";
import { found } from "../model/rules.ts";
import { basename } from "node:path";
import { hrtime } from "node:process";
import { memberOf, matchesSchema, IparamsConfig, otherProductsOf, type PlatformVersion } from "@parley/contract";
import { checkIparams } from "../../installation/iparams/iparams-rules.ts";
import type { Bundler } from "../bundler/bundler.ts";
import { linkRules } from "./link-rules.ts";
import { APP_SETTINGS, readAppSettings, settingsHandler, type AppSettingsRead } from "./app-settings.ts";
import { callbacksCode } from "./callbacks-code.ts";
import { ENTITIES, readEntities } from "./entities.ts";
import { withImplicitHandlers, eventHandlers, handlerRules, type ServerExports } from "./handlers.ts";
import { duplicateKeys, withJsonPositions } from "./json-positions.ts";
import { parseAppJson } from "../model/json.ts";
import { manifestRules } from "./manifest-rules.ts";
import { MANIFEST_FILE, readAppManifest, type ManifestRead } from "../model/manifest.ts";
import { OAUTH, readOAuth, type OAuthRead } from "./oauth-config.ts";
import type { LoadedProject } from "../model/project.ts";
import { readRequests, REQUESTS, type RequestSurroundings } from "./requests.ts";
import { SERVER_ENTRIES, firstExistingFile, serverCode, type BundledCode, type ServerScript } from "./server-code.ts";

/** iparam_test_data.json: values for the page, which older apps bring along for their own tools. */
const KNOWN = [
  "iparams.json",
  "iparams.html",
  "requests.json",
  "oauth_config.json",
  "assets",
  "iparam_test_data.json",
  "entities.json",
  "app_settings.json",
];

/** What may stand in config/. */
async function configFolderRules(folder: string): Promise<Finding[]> {
  const config = await appFilePath(folder, "config");
  const names = config === undefined ? undefined : await readdir(config).catch(() => undefined);
  if (!names) return [found("config-folder", "config", {})];
  const strange = names.filter((name) => !KNOWN.includes(name) && !name.startsWith("."));
  const pages = ["iparams.json", "iparams.html"].filter((name) => names.includes(name));
  return [
    ...strange.sort().map((name) => found("config-file", `config/${name}`, { name })),
    ...(pages.length > 1 ? [found("config-iparams", "config", {})] : []),
  ];
}

const IPARAMS = "config/iparams.json";
export const OWN_PAGE = "config/iparams.html";
/** Of an app that has pages only. */
const NO_SERVER = Promise.resolve<BundledCode>({ code: "", findings: [] });

/**
 * Says which functions the bundled code exports, by running it where it can do no harm. May be asked before the code is made.
 * @errors what the code's own making failed with
 */
export type Inspect = (
  made: Promise<Pick<BundledCode, "code" | "map">>,
) => Promise<ServerExports | { readonly error: string }>;

/** What looks into an app's files and code, in processes without the host's rights. */
export interface ProjectTools {
  readonly inspect: Inspect;
  readonly bundler: Bundler;
}

interface LoadProjectOptions {
  /** Whether declared packages that aren't installed are only warned of: the code is to be looked at, not run. */
  readonly withoutPackages?: boolean;
}

/** A JSON file of the app; its text is kept so that findings get their lines. */
interface Json {
  /** Undefined where there is none, or none that can be read. */
  readonly value?: unknown;
  readonly isThere: boolean;
  readonly findings: readonly FoundDetail[];
}

/** Reads the app's JSON files and remembers their texts. */
const jsonReader = (folder: string) => {
  const texts = new Map<string, string>();
  return {
    texts,
    async read(file: string): Promise<Json> {
      const text = await readAppFileText(folder, file);
      if (text === undefined) return { isThere: false, findings: [] };
      const read = parseAppJson(file, text);
      if ("findings" in read) return { isThere: true, findings: read.findings };
      texts.set(file, text);
      return { isThere: true, value: read.value, findings: duplicateKeys(file, text) };
    },
  };
};

const aboutOf = (folder: string, { value }: Json): { name: string; description: string } => {
  const textAt = (key: string) => {
    const text: unknown = memberOf(value, key);
    return typeof text === "string" ? text : "";
  };
  return { name: textAt("name") || basename(folder), description: textAt("description") };
};

interface ManifestPart {
  readonly read?: ManifestRead;
  readonly findings: readonly FoundDetail[];
}

async function manifestOf(folder: string, json: Json): Promise<ManifestPart> {
  if (!json.isThere) return { findings: [found("manifest-file", MANIFEST_FILE, {})] };
  if (json.value === undefined) return { findings: json.findings };
  const read = readAppManifest(json.value);
  if (!("manifest" in read)) return { findings: [...json.findings, ...read.findings] };
  return { read, findings: [...json.findings, ...(await manifestRules(folder, read))] };
}

/** Functions that `config/iparams.json` names, whatever else is wrong with it. */
const callbacksIn = (json: unknown): string[] =>
  Object.values(json ?? {}).flatMap((iparam: unknown) => {
    const events: unknown = memberOf(iparam, "events");
    if (!Array.isArray(events)) return [];
    return events.flatMap((event: unknown) => Object.values(event ?? {}).filter((name) => typeof name === "string"));
  });

async function iparamsOf(bundler: Bundler, folder: string, json: Json) {
  const { value = json.isThere ? undefined : {} } = json;
  const callbacks = await callbacksCode(bundler, folder, callbacksIn(value));
  const read = [...json.findings, ...callbacks.findings];
  if (value === undefined) return { findings: read };
  const findings = [...read, ...checkIparams(value, callbacks.names && [...callbacks.names])];
  return matchesSchema(IparamsConfig, value)
    ? { iparams: value, callbacksCode: callbacks.code, findings }
    : { findings };
}

const oauthOf = (json: Json, version: PlatformVersion | undefined): OAuthRead => {
  if (json.value === undefined || version === undefined) return { findings: json.findings };
  const { findings, ...read } = readOAuth(json.value, version);
  return { ...read, findings: [...json.findings, ...findings] };
};

/** Names of the request templates that the manifest declares, with their places. */
const declaredIn = ({ sections }: ManifestRead): Map<string, JsonPath> =>
  new Map(
    sections.flatMap(({ kind, name, body }) =>
      Object.keys(body.requests ?? {}).map((request) => [request, [kind, name, "requests", request]] as const),
    ),
  );

const settingsOf = (json: Json): AppSettingsRead => {
  if (json.value === undefined) return { findings: json.findings };
  const { findings, ...read } = readAppSettings(json.value);
  return { ...read, findings: [...json.findings, ...findings] };
};

const requestsOf = (json: Json, around: RequestSurroundings) => {
  const { value = json.isThere ? undefined : {} } = json;
  if (value === undefined) return { requests: {}, findings: json.findings };
  const { requests, findings } = readRequests(value, around);
  return { requests, findings: [...json.findings, ...findings] };
};

/** The code with its packages; those that are absent are told of where the code is only looked at. */
async function codeOf(
  bundler: Bundler,
  script: ServerScript,
  manifest: ManifestPart,
  { withoutPackages }: LoadProjectOptions,
): Promise<BundledCode> {
  const declared = withoutPackages ? Object.keys(manifest.read?.manifest.dependencies ?? {}) : [];
  const server = await serverCode(bundler, script, declared);
  const findings = [...server.absent]
    .sort()
    .map((name) => found("dependency-absent", MANIFEST_FILE, { name }, { at: ["dependencies", name] }));
  return { ...server, findings: [...server.findings, ...findings] };
}

/** There is no code that could be run. */
class NoCode extends Error {}

/** What the code exports, once it is made; nothing where it can't be run. */
async function inspected(server: Promise<BundledCode>, inspect: Inspect): ReturnType<Inspect> {
  const made = server.then(({ code, map, findings }) => {
    if (code === "" || !isRunnable(findings)) throw new NoCode();
    return { code, ...(map !== undefined && { map }) };
  });
  return inspect(made).catch((error: unknown) => {
    if (error instanceof NoCode) return { handlers: [] };
    throw error;
  });
}

function exportsOf(read: ManifestRead, inspected: Awaited<ReturnType<Inspect>>): ManifestPart {
  if ("error" in inspected) return { findings: [found("server-load", "server", { text: inspected.error })] };
  const whole = withImplicitHandlers(read, inspected);
  const rules = handlerRules(whole, new Set(inspected.handlers));
  return { read: whole, findings: [...whole.findings.slice(read.findings.length), ...rules] };
}

/**
 * Reads and checks an app's folder; nothing in it runs in this process.
 * @errors trouble with the machine, such as a file that may not be read; what is wrong with the app is a finding
 */
export async function loadProject(
  folder: string,
  tools: ProjectTools,
  options: LoadProjectOptions = {},
): Promise<LoadedProject> {
  const { inspect, bundler } = tools;
  const links = await linkRules(folder);
  if (links.length > 0) return { findings: links };
  const files = jsonReader(folder);
  const read = (file: string) => files.read(file);
  const [manifest, entry] = await Promise.all([
    read(MANIFEST_FILE).then((json) => manifestOf(folder, json)),
    firstExistingFile(folder, SERVER_ENTRIES),
  ]);
  const making = entry === undefined ? NO_SERVER : codeOf(bundler, { folder, file: entry }, manifest, options);
  const [config, about, iparams, ownPage, oauthFile, settings, requestsFile, entities, server, exported] =
    await Promise.all([
      configFolderRules(folder),
      read("package.json").then((json) => aboutOf(folder, json)),
      read(IPARAMS).then((json) => iparamsOf(bundler, folder, json)),
      readAppFileText(folder, OWN_PAGE),
      read(OAUTH),
      read(APP_SETTINGS).then(settingsOf),
      read(REQUESTS),
      read(ENTITIES).then(({ value = {}, findings: found }) => {
        const { entities, findings } = readEntities(value);
        return { entities, findings: [...found, ...findings] };
      }),
      making,
      entry === undefined ? { handlers: [] } : inspected(making, inspect),
    ]);
  const oauth = oauthOf(oauthFile, manifest.read?.version);
  const requests =
    manifest.read && iparams.iparams
      ? requestsOf(requestsFile, {
          declared: declaredIn(manifest.read),
          iparams: ownPage === undefined ? iparams.iparams : undefined,
          hasOAuth: oauthFile.isThere,
          integrations: oauth.oauth && Object.keys(oauth.oauth.integrations),
          otherProducts: otherProductsOf(manifest.read.manifest),
          settings: settings.declared && Object.keys(settings.declared),
        })
      : { requests: {}, findings: requestsFile.findings };
  const findings: FoundDetail[] = [
    manifest,
    { findings: config },
    iparams,
    requests,
    entities,
    oauth,
    settings,
    server,
  ].flatMap((part) => part.findings);
  const settled = () => withJsonPositions(findings, files.texts);
  if (!manifest.read || !iparams.iparams || !isRunnable(server.findings)) return { findings: settled() };
  const whole = exportsOf(manifest.read, exported);
  findings.push(...whole.findings);
  if (!whole.read || !isRunnable(findings)) return { findings: settled() };
  const { manifest: normal, version, whitelistedDomains, declaredHosts } = whole.read;
  const declared = eventHandlers(normal);
  const exports = "error" in exported ? [] : exported.handlers;
  return {
    findings: settled(),
    project: {
      folder,
      ...about,
      manifest: normal,
      platformVersion: version,
      handlers: [...declared, ...settingsHandler(settings.declared, exports, declared)],
      ...(whitelistedDomains && { whitelistedDomains }),
      declaredHosts,
      ...(ownPage !== undefined && { ownPage }),
      ...(oauth.oauth && { oauth: oauth.oauth }),
      iparams: iparams.iparams,
      entities: entities.entities,
      appSettings: settings.declared ?? {},
      requests: requests.requests,
      serverCode: server.code,
      ...(server.map === undefined ? {} : { serverMap: server.map }),
      callbacksCode: iparams.callbacksCode,
      version: hrtime.bigint().toString(36),
    },
  };
}
