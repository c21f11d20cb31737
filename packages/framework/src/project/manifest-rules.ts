import { access } from "node:fs/promises";
import { join } from "node:path";
import { MODULES, type AppModule, type Manifest, type Place } from "@parley/contract";
import { errorIn, warningIn, type Finding } from "./finding.ts";
import { MANIFEST } from "./manifest.ts";
import type { EventHandler } from "./project.ts";

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]{1,39}$/;
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
/** Place that shows nothing of itself. */
const WITHOUT_ICON = "conversation_background";

const found = (code: string, message: string) => errorIn(MANIFEST, code, message);
const isThere = (folder: string, file: string) =>
  access(join(folder, "app", file)).then(
    () => true,
    () => false,
  );

async function placeRules(folder: string, where: string, name: string, place: Place): Promise<Finding[]> {
  const findings: Finding[] = [];
  const file = place.url?.split(/[?#]/)[0];
  if (!file) findings.push(found("place-url", `Url is either not mentioned or empty in ${where}`));
  else if (!(await isThere(folder, file)))
    findings.push(found("place-template", `Template file '${file}' mentioned in ${where} is not found in app folder`));
  if (name === WITHOUT_ICON) return findings;
  if (!place.icon) findings.push(found("place-icon", `Icon is either not mentioned or empty in ${where}`));
  else if (!(await isThere(folder, place.icon)))
    findings.push(found("place-icon-file", `Icon '${place.icon}' mentioned in ${where} is not found in app folder`));
  return findings;
}

async function moduleRules(folder: string, name: string, module: AppModule): Promise<Finding[]> {
  const known = MODULES[name];
  const places = Object.entries(module.location ?? {});
  const strange = places.filter(([place]) => known && !known.places.includes(place)).map(([place]) => place);
  const events = Object.keys(module.events ?? {}).filter((event) => known && !known.events.includes(event));
  const elsewhere = name === "common" ? [] : (["requests", "functions"] as const).filter((part) => module[part]);
  const placed = await Promise.all(
    places.map(([place, declared]) => placeRules(folder, `${name}/${place}`, place, declared)),
  );
  return [
    ...(strange.length > 0
      ? [found("place", `Invalid location(s) mentioned in modules.${name}: ${strange.join(", ")}`)]
      : []),
    ...events.map((event) => found("event", `Invalid event: '${event}' for module: ${name}`)),
    ...elsewhere.map((part) => found("module", `Specify ${part} in the module common, not in ${name}`)),
    ...placed.flat(),
  ];
}

const functionRules = (functions: AppModule["functions"] = {}): Finding[] =>
  Object.entries(functions).flatMap(([name, { timeout }]) => [
    ...(FUNCTION_NAME.test(name) ? [] : [found("function-name", `Function "${name}" has invalid name`)]),
    ...(timeout === undefined || [5, 10, 15, 20, 25, 30].includes(timeout)
      ? []
      : [found("function-timeout", `Function "${name}" has invalid timeout: it is 20, 25 or 30 seconds`)]),
  ]);

const dependencyRules = (dependencies: Manifest["dependencies"] = {}): Finding[] =>
  Object.entries(dependencies)
    .filter(([, version]) => !EXACT_VERSION.test(version))
    .map(([name, version]) => found("dependency", `Dependency '${name}' must have an exact version, not '${version}'`));

/** What a well-formed manifest may still have wrong, by itself and with the files of app/. */
export async function manifestRules(folder: string, manifest: Manifest): Promise<Finding[]> {
  const modules = Object.entries(manifest.modules);
  const byModule = await Promise.all(modules.map(([name, module]) => moduleRules(folder, name, module)));
  return [
    ...(modules.some(([name]) => name !== "common")
      ? []
      : [found("modules", "At least one module besides common must be mentioned in manifest.json")]),
    ...byModule.flat(),
    ...functionRules(manifest.modules["common"]?.functions),
    ...dependencyRules(manifest.dependencies),
  ];
}

/** -> `[event, handler]` of every event that the manifest declares. */
export const handlersOf = (manifest: Manifest): (readonly [event: string, handler: string])[] =>
  Object.values(manifest.modules).flatMap(({ events = {} }) =>
    Object.entries(events).map(([event, { handler }]) => [event, handler] as const),
  );

export const eventHandlers = (manifest: Manifest): EventHandler[] =>
  Object.entries(manifest.modules).flatMap(([module, { events = {} }]) =>
    Object.entries(events).map(([event, { handler }]) => ({ module, event, handler })),
  );

/** Handlers and functions that the manifest names and the code does not have. */
export const handlerRules = (manifest: Manifest, defined: ReadonlySet<string>): Finding[] => [
  ...handlersOf(manifest)
    .filter(([, handler]) => !defined.has(handler))
    .map(([event, handler]) =>
      errorIn(MANIFEST, "handler", `Event callback '${handler}' is not defined`, {
        help: `${event} needs it among the exports of the file in server/`,
      }),
    ),
  ...Object.keys(manifest.modules["common"]?.functions ?? {})
    .filter((name) => !defined.has(name))
    .map((name) => warningIn(MANIFEST, "function", `Function "${name}" is not defined`)),
];
