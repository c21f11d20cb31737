import { join } from "node:path";
import { MODULES, OLD_PLACES, type Manifest, type Place } from "@parley/contract";
import { appFilePath } from "../files/app-file.ts";
import type { FoundDetail, JsonPath } from "../model/finding.ts";
import { MANIFEST_FILE, type ManifestRead, type ManifestSection } from "../model/manifest.ts";
import { isProductEvent, isProductPlace } from "../model/product-modules.ts";
import { found } from "../model/rules.ts";

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]{1,39}$/;
/** @units seconds */
const TIMEOUTS: readonly unknown[] = [5, 10, 15, 20, 25, 30];
/** Version of a dependency. */
export const EXACT_VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
/** Places that are invisible. */
const WITHOUT_ICON = /_background$/;

const isThere = async (folder: string, file: string) => (await appFilePath(join(folder, "app"), file)) !== undefined;

async function placeRules(folder: string, at: JsonPath, declared: Place, isOurs: boolean): Promise<FoundDetail[]> {
  const [, module = "", , name = ""] = at;
  const place = `${module}/${name}`;
  const findings: FoundDetail[] = [];
  const file = declared.url?.split(/[?#]/)[0];
  if (!file) findings.push(found("place-url", MANIFEST_FILE, { place }, { at: [...at, "url"] }));
  else if (!(await isThere(folder, file)))
    findings.push(found("place-template", MANIFEST_FILE, { file, place }, { at: [...at, "url"] }));
  const { icon } = declared;
  if (!icon && (!isOurs || WITHOUT_ICON.test(name))) return findings;
  if (!icon) findings.push(found("place-icon", MANIFEST_FILE, { place }, { at: [...at, "icon"] }));
  else if (!(await isThere(folder, icon)))
    findings.push(found("place-icon-file", MANIFEST_FILE, { file: icon, place }, { at: [...at, "icon"] }));
  return findings;
}

const commonEvents = MODULES["common"]?.events ?? [];

const known = (module: string) => (Object.hasOwn(MODULES, module) ? MODULES[module] : undefined);

const hasPlace = ({ kind, name }: ManifestSection, place: string): boolean =>
  kind === "product" ? isProductPlace(name, place) : (known(name)?.places.includes(place) ?? true);
/** Set-up, external and scheduled events belong to the module common in all apps. */
const hasEvent = ({ kind, name }: ManifestSection, event: string): boolean =>
  kind === "product"
    ? isProductEvent(name, event)
    : (known(name)?.events.includes(event) ?? !commonEvents.includes(event));

/** Places of other products are not checked. */
const isOurPlace = (place: string) =>
  Object.hasOwn(OLD_PLACES, place) || Object.values(MODULES).some(({ places }) => places.includes(place));

const nameRules = ({ kind, name }: ManifestSection): FoundDetail[] =>
  kind === "modules" && !Object.hasOwn(MODULES, name) && name.startsWith("chat")
    ? [
        found(
          "module-name",
          MANIFEST_FILE,
          { module: name },
          { at: [kind, name], help: `The chat product has ${Object.keys(MODULES).join(", ")}.` },
        ),
      ]
    : [];

async function sectionRules(folder: string, section: ManifestSection): Promise<FoundDetail[]> {
  const { kind, name, body } = section;
  const places = Object.entries(body.location ?? {});
  const strange = places.map(([place]) => place).filter((place) => !hasPlace(section, place));
  const events = Object.keys(body.events ?? {}).filter((event) => !hasEvent(section, event));
  const elsewhere =
    kind === "product" || name === "common"
      ? []
      : (["requests", "functions", "jobs"] as const).filter((part) => body[part]);
  const placed = await Promise.all(
    places.map(([place, declared]) => placeRules(folder, [kind, name, "location", place], declared, isOurPlace(place))),
  );
  return [
    ...nameRules(section),
    ...(strange.length > 0
      ? [
          found(
            "place",
            MANIFEST_FILE,
            { module: `${kind}.${name}`, places: strange.join(", ") },
            { at: [kind, name, "location", strange[0] ?? ""] },
          ),
        ]
      : []),
    ...events.map((event) =>
      found("event", MANIFEST_FILE, { event, module: name }, { at: [kind, name, "events", event] }),
    ),
    ...elsewhere.map((part) => found("module-part", MANIFEST_FILE, { part, module: name }, { at: [kind, name, part] })),
    ...placed.flat(),
    ...functionRules(section),
  ];
}

const functionRules = ({ kind, name: module, body }: ManifestSection): FoundDetail[] =>
  Object.entries(body.functions ?? {}).flatMap(([name, { timeout }]) => {
    const at = [kind, module, "functions", name];
    return [
      ...(FUNCTION_NAME.test(name) ? [] : [found("function-name", MANIFEST_FILE, { name }, { at })]),
      ...(timeout === undefined || TIMEOUTS.includes(timeout)
        ? []
        : [found("function-timeout", MANIFEST_FILE, { name }, { at })]),
    ];
  });

const dependencyRules = (dependencies: Manifest["dependencies"] = {}): FoundDetail[] =>
  Object.entries(dependencies)
    .filter(([, version]) => !EXACT_VERSION.test(version))
    .map(([name, version]) => found("dependency", MANIFEST_FILE, { name, version }, { at: ["dependencies", name] }));

const ownRules = ({ sections, version }: ManifestRead): FoundDetail[] => {
  if (sections.some(({ kind, name }) => kind === "product" || name !== "common")) return [];
  return version < "3"
    ? [found("manifest-product", MANIFEST_FILE, {}, { at: ["product"] })]
    : [found("modules", MANIFEST_FILE, {}, { at: ["modules"] })];
};

const domainRules = (domains: readonly string[] = []): FoundDetail[] =>
  domains.flatMap((entry, index) =>
    /^(?:https:\/\/|<%=)/i.test(entry)
      ? []
      : [found("domain-https", MANIFEST_FILE, { entry }, { at: ["whitelisted-domains", String(index)] })],
  );

const sinceRules = ({ version, sections }: ManifestRead): FoundDetail[] => {
  const say = (part: string, at: JsonPath) => found("version-part", MANIFEST_FILE, { part, version }, { at });
  return [
    ...sections
      .filter(({ body }) => version < "2.3" && body.requests !== undefined)
      .map(({ kind, name }) => say("requests", [kind, name, "requests"])),
  ];
};

/** Checks a well-formed manifest for errors of its content, and against the files of app/. */
export async function manifestRules(folder: string, read: ManifestRead): Promise<FoundDetail[]> {
  const bySection = await Promise.all(read.sections.map((section) => sectionRules(folder, section)));
  return [
    ...read.findings,
    ...ownRules(read),
    ...bySection.flat(),
    ...dependencyRules(read.manifest.dependencies),
    ...domainRules(read.whitelistedDomains),
    ...sinceRules(read),
  ];
}
