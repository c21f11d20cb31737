import { readAppFileText } from "../files/app-file.ts";
import { isRunnable, type FindingWithPath, type JsonPath } from "../../model/finding.ts";
import { createFinding } from "../../model/rules.ts";
import { basename } from "node:path";
import { hrtime } from "node:process";
import { memberOf, matchesSchema, IparamsConfig, otherProductsOf, type PlatformVersion } from "@parley/contract";
import { checkIparams } from "../../model/iparams/iparams-rules.ts";
import type { Bundler } from "../bundler/bundler.ts";
import { configFolderRules } from "./config-folder.ts";
import { linkRules } from "./link-rules.ts";
import { APP_SETTINGS_FILE, readAppSettings, settingsHandler, type AppSettingsRead } from "./app-settings.ts";
import {
  callbacksCode,
  SERVER_ENTRIES,
  firstExistingFile,
  serverCode,
  type BundledCode,
  type ServerScript,
} from "./bundle.ts";
import { ENTITIES_FILE, readEntities } from "./entities.ts";
import { withImplicitHandlers, eventHandlers, handlerRules, type ServerExports } from "./handlers.ts";
import { duplicateKeys, jsonCountFinding, withJsonPositions, parseAppJson } from "../../model/json.ts";
import { memberRules } from "./manifest-names.ts";
import { manifestRules } from "./manifest-rules.ts";
import { MANIFEST_FILE, readAppManifest, type ManifestRead } from "../../model/manifest.ts";
import { OAUTH_CONFIG_FILE, readOAuth, type OAuthRead } from "./oauth-config.ts";
import type { LoadedProject } from "../../model/project.ts";
import { readRequests, REQUESTS_FILE, type TemplateDeclarations } from "./requests.ts";

const IPARAMS_FILE = "config/iparams.json";
export const OWN_PAGE_FILE = "config/iparams.html";
/** Code of an app that has only pages. */
const NO_SERVER = Promise.resolve<BundledCode>({ code: "", findings: [] });

/**
 * Runs the bundled code in isolation and returns its exports. May be called before the code is ready.
 * @errors Rethrows the failure of `bundle`.
 */
export type Inspect = (
  bundle: Promise<Pick<BundledCode, "code" | "map">>,
) => Promise<ServerExports | { readonly error: string }>;

/** Tools that process an app's files and code in confined processes. */
export interface ProjectTools {
  readonly inspect: Inspect;
  readonly bundler: Bundler;
}

interface LoadProjectOptions {
  /** Whether missing dependencies cause warnings only, because the code is analysed and not run. */
  readonly allowsMissingPackages?: boolean;
}

/** A JSON file of the app. Its text is kept for the lines of findings. */
interface JsonFile {
  /** Undefined if the file does not exist or cannot be parsed. */
  readonly value?: unknown;
  readonly isPresent: boolean;
  readonly findings: readonly FindingWithPath[];
}

/** Reads the app's JSON files and keeps their texts. */
const jsonReader = (folder: string) => {
  const texts = new Map<string, string>();
  return {
    texts,
    async read(file: string): Promise<JsonFile> {
      const text = await readAppFileText(folder, file);
      if (text === undefined) return { isPresent: false, findings: [] };
      const read = parseAppJson(file, text);
      if ("findings" in read) return { isPresent: true, findings: read.findings };
      const excess = jsonCountFinding(file, read.value);
      if (excess) return { isPresent: true, findings: [excess] };
      texts.set(file, text);
      return { isPresent: true, value: read.value, findings: duplicateKeys(file, text) };
    },
  };
};

const packageInfo = (folder: string, { value }: JsonFile): { name: string; description: string } => {
  const textAt = (key: string) => {
    const text: unknown = memberOf(value, key);
    return typeof text === "string" ? text : "";
  };
  return { name: textAt("name") || basename(folder), description: textAt("description") };
};

interface ManifestResult {
  readonly read?: ManifestRead;
  readonly findings: readonly FindingWithPath[];
}

async function manifestOf(folder: string, json: JsonFile): Promise<ManifestResult> {
  if (!json.isPresent) return { findings: [createFinding("manifest-file", MANIFEST_FILE, {})] };
  if (json.value === undefined) return { findings: json.findings };
  const read = readAppManifest(json.value);
  if (!("manifest" in read)) return { findings: [...json.findings, ...read.findings] };
  return {
    read,
    findings: [...json.findings, ...memberRules(json.value, read), ...(await manifestRules(folder, read))],
  };
}

/** Names of the functions in `config/iparams.json`, which may be otherwise invalid. */
const callbacksIn = (json: unknown): string[] =>
  Object.values(json ?? {}).flatMap((iparam: unknown) => {
    const events: unknown = memberOf(iparam, "events");
    if (!Array.isArray(events)) return [];
    return events.flatMap((event: unknown) => Object.values(event ?? {}).filter((name) => typeof name === "string"));
  });

/** Scripts of the app's own installation page are not callbacks: the page loads them as they are. */
const NO_CALLBACKS = { code: "", names: new Set<string>(), findings: [] };

async function iparamsOf(bundler: Bundler, folder: string, json: JsonFile, ownPage: string | undefined) {
  const { value = json.isPresent ? undefined : {} } = json;
  const callbacks = ownPage === undefined ? await callbacksCode(bundler, folder, callbacksIn(value)) : NO_CALLBACKS;
  const read = [...json.findings, ...callbacks.findings];
  if (value === undefined) return { findings: read };
  const declared = { names: callbacks.names && [...callbacks.names], code: callbacks.code };
  const findings = [...read, ...checkIparams(value, declared)];
  return matchesSchema(IparamsConfig, value)
    ? { iparams: value, callbacksCode: callbacks.code, findings }
    : { findings };
}

const oauthOf = (json: JsonFile, version: PlatformVersion | undefined): OAuthRead => {
  if (json.value === undefined || version === undefined) return { findings: json.findings };
  const { findings, ...read } = readOAuth(json.value, version);
  return { ...read, findings: [...json.findings, ...findings] };
};

/** Names of the request templates that the manifest declares, with their paths. */
const declaredIn = ({ sections }: ManifestRead): Map<string, JsonPath> =>
  new Map(
    sections.flatMap(({ kind, name, body }) =>
      Object.keys(body.requests ?? {}).map((request) => [request, [kind, name, "requests", request]] as const),
    ),
  );

const settingsOf = (json: JsonFile): AppSettingsRead => {
  if (json.value === undefined) return { findings: json.findings };
  const { findings, ...read } = readAppSettings(json.value);
  return { ...read, findings: [...json.findings, ...findings] };
};

const requestsOf = (json: JsonFile, declarations: TemplateDeclarations) => {
  const { value = json.isPresent ? undefined : {} } = json;
  if (value === undefined) return { requests: {}, findings: json.findings };
  const { requests, findings } = readRequests(value, declarations);
  return { requests, findings: [...json.findings, ...findings] };
};

/** Bundles the code with its packages. With `allowsMissingPackages`, missing packages are reported as warnings. */
async function codeOf(
  bundler: Bundler,
  script: ServerScript,
  manifest: ManifestResult,
  { allowsMissingPackages }: LoadProjectOptions,
): Promise<BundledCode> {
  const declared = allowsMissingPackages ? Object.keys(manifest.read?.manifest.dependencies ?? {}) : [];
  const server = await serverCode(bundler, script, declared);
  const findings = [...server.absent]
    .sort()
    .map((name) => createFinding("dependency-absent", MANIFEST_FILE, { name }, { at: ["dependencies", name] }));
  return { ...server, findings: [...server.findings, ...findings] };
}

/** The app has no code that could be run. */
class NoRunnableCode extends Error {}

/** Exports of the code; empty if the code cannot be run. */
async function inspectCode(server: Promise<BundledCode>, inspect: Inspect): ReturnType<Inspect> {
  const bundle = server.then(({ code, map, findings }) => {
    if (code === "" || !isRunnable(findings)) throw new NoRunnableCode();
    return { code, ...(map !== undefined && { map }) };
  });
  return inspect(bundle).catch((error: unknown) => {
    if (error instanceof NoRunnableCode) return { handlers: [] };
    throw error;
  });
}

function exportsOf(read: ManifestRead, inspected: Awaited<ReturnType<Inspect>>): ManifestResult {
  if ("error" in inspected) return { findings: [createFinding("server-load", "server", { text: inspected.error })] };
  const manifestWithHandlers = withImplicitHandlers(read, inspected);
  const rules = handlerRules(manifestWithHandlers, new Set(inspected.handlers));
  return {
    read: manifestWithHandlers,
    findings: [...manifestWithHandlers.findings.slice(read.findings.length), ...rules],
  };
}

/**
 * Reads and checks an app's folder. No code of the app runs in this process.
 * @errors errors of the machine, such as an unreadable file; errors of the app are findings
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
  const ownPageText = readAppFileText(folder, OWN_PAGE_FILE);
  const bundling = entry === undefined ? NO_SERVER : codeOf(bundler, { folder, file: entry }, manifest, options);
  const [config, about, iparams, ownPage, oauthFile, settings, requestsFile, entities, server, exported] =
    await Promise.all([
      configFolderRules(folder),
      read("package.json").then((json) => packageInfo(folder, json)),
      Promise.all([read(IPARAMS_FILE), ownPageText]).then(([json, page]) => iparamsOf(bundler, folder, json, page)),
      ownPageText,
      read(OAUTH_CONFIG_FILE),
      read(APP_SETTINGS_FILE).then(settingsOf),
      read(REQUESTS_FILE),
      read(ENTITIES_FILE).then(({ value = {}, findings: found }) => {
        const { entities, findings } = readEntities(value);
        return { entities, findings: [...found, ...findings] };
      }),
      bundling,
      entry === undefined ? { handlers: [] } : inspectCode(bundling, inspect),
    ]);
  const oauth = oauthOf(oauthFile, manifest.read?.version);
  const requests =
    manifest.read && iparams.iparams
      ? requestsOf(requestsFile, {
          declared: declaredIn(manifest.read),
          iparams: ownPage === undefined ? iparams.iparams : undefined,
          hasOAuth: oauthFile.isPresent,
          integrations: oauth.oauth && Object.keys(oauth.oauth.integrations),
          otherProducts: otherProductsOf(manifest.read.manifest),
          settings: settings.declared && Object.keys(settings.declared),
        })
      : { requests: {}, findings: requestsFile.findings };
  const findings: FindingWithPath[] = [
    manifest,
    { findings: config },
    iparams,
    requests,
    entities,
    oauth,
    settings,
    server,
  ].flatMap((part) => part.findings);
  const locatedFindings = () => withJsonPositions(findings, files.texts);
  if (!manifest.read || !iparams.iparams || !isRunnable(server.findings)) return { findings: locatedFindings() };
  const manifestWithHandlers = exportsOf(manifest.read, exported);
  findings.push(...manifestWithHandlers.findings);
  if (!manifestWithHandlers.read || !isRunnable(findings)) return { findings: locatedFindings() };
  const { manifest: normal, version, whitelistedDomains, declaredHosts } = manifestWithHandlers.read;
  const declared = eventHandlers(normal);
  const exports = "error" in exported ? [] : exported.handlers;
  return {
    findings: locatedFindings(),
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
