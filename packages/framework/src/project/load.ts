import { basename } from "node:path";
import { hrtime } from "node:process";
import { fits, IparamsConfig, type Manifest } from "@parley/contract";
import { checkIparams } from "../install/iparams-rules.ts";
import { callbacksCode } from "./callbacks-code.ts";
import { configFolderRules } from "./config-folder.ts";
import { errorIn, isRunnable, type Finding } from "./finding.ts";
import { parseJson, readText } from "./json.ts";
import { eventHandlers, handlerRules, manifestRules } from "./manifest-rules.ts";
import { MANIFEST, readManifest } from "./manifest.ts";
import type { Loaded } from "./project.ts";
import { readRequests, REQUESTS } from "./requests.ts";
import { serverCode, type Code } from "./server-code.ts";

const IPARAMS = "config/iparams.json";

/** Says which functions the bundled code exports, by running it where it can do no harm. */
export type Inspect = (
  code: string,
  map: string | undefined,
) => Promise<{ readonly handlers: readonly string[] } | { readonly error: string }>;

/** JSON of a file; `fallback` where there is no such file. */
async function jsonOf(folder: string, file: string, fallback: unknown) {
  const text = await readText(folder, file);
  return text === undefined ? { value: fallback } : parseJson(file, text);
}

async function nameOf(folder: string): Promise<{ name: string; description: string }> {
  const read = await jsonOf(folder, "package.json", {});
  const json: object = "value" in read && typeof read.value === "object" ? (read.value ?? {}) : {};
  const textAt = (key: string) => {
    const value: unknown = Reflect.get(json, key);
    return typeof value === "string" ? value : "";
  };
  return { name: textAt("name") || basename(folder), description: textAt("description") };
}

async function manifestOf(folder: string): Promise<{ manifest?: Manifest; findings: readonly Finding[] }> {
  const text = await readText(folder, MANIFEST);
  if (text === undefined) return { findings: [errorIn(MANIFEST, "manifest-file", "manifest.json is not found")] };
  const json = await parseJson(MANIFEST, text);
  if ("findings" in json) return json;
  const read = readManifest(json.value);
  if ("findings" in read) return read;
  return { manifest: read.manifest, findings: await manifestRules(folder, read.manifest) };
}

/** Functions that `config/iparams.json` names, whatever else is wrong with it. */
const callbacksIn = (json: unknown): string[] =>
  Object.values(json ?? {}).flatMap((iparam: unknown) => {
    const events: unknown = typeof iparam === "object" && iparam !== null ? Reflect.get(iparam, "events") : undefined;
    if (!Array.isArray(events)) return [];
    return events.flatMap((event: unknown) => Object.values(event ?? {}).filter((name) => typeof name === "string"));
  });

async function iparamsOf(folder: string) {
  const json = await jsonOf(folder, IPARAMS, {});
  const wanted = "value" in json ? callbacksIn(json.value) : [];
  const callbacks = await callbacksCode(folder, wanted);
  if ("findings" in json) return { findings: [...json.findings, ...callbacks.findings] };
  const findings = [...checkIparams(json.value, [...callbacks.names]), ...callbacks.findings];
  return fits(IparamsConfig, json.value)
    ? { iparams: json.value, callbacksCode: callbacks.code, findings }
    : { findings };
}

async function requestsOf(folder: string, manifest: Manifest | undefined, iparams: IparamsConfig | undefined) {
  const json = await jsonOf(folder, REQUESTS, {});
  if ("findings" in json) return { requests: {}, findings: json.findings };
  if (!manifest || !iparams) return { requests: {}, findings: [] };
  return readRequests(json.value, Object.keys(manifest.modules["common"]?.requests ?? {}), iparams);
}

async function handlersIn({ code, map }: Code, manifest: Manifest, inspect: Inspect): Promise<Finding[]> {
  if (code === "") return handlerRules(manifest, new Set());
  const inspected = await inspect(code, map);
  if ("handlers" in inspected) return handlerRules(manifest, new Set(inspected.handlers));
  return [errorIn("server", "server-load", `The code of server/ can't be loaded: ${inspected.error}`)];
}

/**
 * Reads and checks an app's folder; nothing in it runs in this process.
 * @errors trouble with the machine, such as a file that may not be read; what is wrong with the app is a finding
 */
export async function loadProject(folder: string, inspect: Inspect): Promise<Loaded> {
  const [config, about, manifest, iparams, server] = await Promise.all([
    configFolderRules(folder),
    nameOf(folder),
    manifestOf(folder),
    iparamsOf(folder),
    serverCode(folder),
  ]);
  const requests = await requestsOf(folder, manifest.manifest, iparams.iparams);
  const findings = [manifest, { findings: config }, iparams, requests, server].flatMap((part) => part.findings);
  if (!manifest.manifest || !iparams.iparams || !isRunnable(server.findings)) return { findings };
  findings.push(...(await handlersIn(server, manifest.manifest, inspect)));
  if (!isRunnable(findings)) return { findings };
  return {
    findings,
    project: {
      folder,
      ...about,
      manifest: manifest.manifest,
      platformVersion: manifest.manifest["platform-version"],
      handlers: eventHandlers(manifest.manifest),
      iparams: iparams.iparams,
      requests: requests.requests,
      serverCode: server.code,
      ...(server.map === undefined ? {} : { serverMap: server.map }),
      callbacksCode: iparams.callbacksCode,
      version: hrtime.bigint().toString(36),
    },
  };
}
