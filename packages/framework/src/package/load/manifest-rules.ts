import { join } from "node:path";
import { MODULES, PLACES_OF_2_X, type Manifest, type AppPlace } from "@parley/contract";
import { appFilePath } from "../files/app-file.ts";
import type { FindingWithPath, JsonPath } from "../model/finding.ts";
import {
  MANIFEST_FILE,
  type ManifestRead,
  type ManifestSection,
  isProductEvent,
  isProductPlace,
} from "../model/manifest.ts";
import { createFinding } from "../model/rules.ts";

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]{1,39}$/;
/** @units seconds */
const FUNCTION_TIMEOUTS_S: readonly unknown[] = [5, 10, 15, 20, 25, 30];
/** Version of a dependency. */
export const EXACT_VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
/** Places that are invisible. */
const INVISIBLE_PLACE = /_background$/;

const existsInApp = async (folder: string, file: string) =>
  (await appFilePath(join(folder, "app"), file)) !== undefined;

async function placeRules(
  folder: string,
  at: JsonPath,
  declared: AppPlace,
  isOurs: boolean,
): Promise<FindingWithPath[]> {
  const [, module = "", , name = ""] = at;
  const place = `${module}/${name}`;
  const findings: FindingWithPath[] = [];
  const file = declared.url?.split(/[?#]/)[0];
  if (!file) findings.push(createFinding("place-url", MANIFEST_FILE, { place }, { at: [...at, "url"] }));
  else if (!(await existsInApp(folder, file)))
    findings.push(createFinding("place-template", MANIFEST_FILE, { file, place }, { at: [...at, "url"] }));
  const { icon } = declared;
  if (!icon && (!isOurs || INVISIBLE_PLACE.test(name))) return findings;
  if (!icon) findings.push(createFinding("place-icon", MANIFEST_FILE, { place }, { at: [...at, "icon"] }));
  else if (!(await existsInApp(folder, icon)))
    findings.push(createFinding("place-icon-file", MANIFEST_FILE, { file: icon, place }, { at: [...at, "icon"] }));
  return findings;
}

const commonEvents = MODULES["common"]?.events ?? [];

const moduleRow = (module: string) => (Object.hasOwn(MODULES, module) ? MODULES[module] : undefined);

const hasPlace = ({ kind, name }: ManifestSection, place: string): boolean =>
  kind === "product" ? isProductPlace(name, place) : (moduleRow(name)?.places.includes(place) ?? true);
/** Set-up, external and scheduled events belong to the module common in all apps. */
const hasEvent = ({ kind, name }: ManifestSection, event: string): boolean =>
  kind === "product"
    ? isProductEvent(name, event)
    : (moduleRow(name)?.events.includes(event) ?? !commonEvents.includes(event));

/** Places of other products are not checked. */
const isChatProductPlace = (place: string) =>
  Object.hasOwn(PLACES_OF_2_X, place) || Object.values(MODULES).some(({ places }) => places.includes(place));

const nameRules = ({ kind, name }: ManifestSection): FindingWithPath[] =>
  kind === "modules" && !Object.hasOwn(MODULES, name) && name.startsWith("chat")
    ? [
        createFinding(
          "module-name",
          MANIFEST_FILE,
          { module: name },
          { at: [kind, name], help: `The chat product has ${Object.keys(MODULES).join(", ")}.` },
        ),
      ]
    : [];

async function sectionRules(folder: string, section: ManifestSection): Promise<FindingWithPath[]> {
  const { kind, name, body } = section;
  const places = Object.entries(body.location ?? {});
  const unknownPlaces = places.map(([place]) => place).filter((place) => !hasPlace(section, place));
  const events = Object.keys(body.events ?? {}).filter((event) => !hasEvent(section, event));
  const misplacedParts =
    kind === "product" || name === "common"
      ? []
      : (["requests", "functions", "jobs"] as const).filter((part) => body[part]);
  const placeFindings = await Promise.all(
    places.map(([place, declared]) =>
      placeRules(folder, [kind, name, "location", place], declared, isChatProductPlace(place)),
    ),
  );
  return [
    ...nameRules(section),
    ...(unknownPlaces.length > 0
      ? [
          createFinding(
            "place",
            MANIFEST_FILE,
            { module: `${kind}.${name}`, places: unknownPlaces.join(", ") },
            { at: [kind, name, "location", unknownPlaces[0] ?? ""] },
          ),
        ]
      : []),
    ...events.map((event) =>
      createFinding("event", MANIFEST_FILE, { event, module: name }, { at: [kind, name, "events", event] }),
    ),
    ...misplacedParts.map((part) =>
      createFinding("module-part", MANIFEST_FILE, { part, module: name }, { at: [kind, name, part] }),
    ),
    ...placeFindings.flat(),
    ...functionRules(section),
  ];
}

const functionRules = ({ kind, name: module, body }: ManifestSection): FindingWithPath[] =>
  Object.entries(body.functions ?? {}).flatMap(([name, { timeout }]) => {
    const at = [kind, module, "functions", name];
    return [
      ...(FUNCTION_NAME.test(name) ? [] : [createFinding("function-name", MANIFEST_FILE, { name }, { at })]),
      ...(timeout === undefined || FUNCTION_TIMEOUTS_S.includes(timeout)
        ? []
        : [createFinding("function-timeout", MANIFEST_FILE, { name }, { at })]),
    ];
  });

const dependencyRules = (dependencies: Manifest["dependencies"] = {}): FindingWithPath[] =>
  Object.entries(dependencies)
    .filter(([, version]) => !EXACT_VERSION.test(version))
    .map(([name, version]) =>
      createFinding("dependency", MANIFEST_FILE, { name, version }, { at: ["dependencies", name] }),
    );

const sectionCountRules = ({ sections, version }: ManifestRead): FindingWithPath[] => {
  if (sections.some(({ kind, name }) => kind === "product" || name !== "common")) return [];
  return version < "3"
    ? [createFinding("manifest-product", MANIFEST_FILE, {}, { at: ["product"] })]
    : [createFinding("modules", MANIFEST_FILE, {}, { at: ["modules"] })];
};

const domainRules = (domains: readonly string[] = []): FindingWithPath[] =>
  domains.flatMap((entry, index) =>
    /^(?:https:\/\/|<%=)/i.test(entry)
      ? []
      : [createFinding("domain-https", MANIFEST_FILE, { entry }, { at: ["whitelisted-domains", String(index)] })],
  );

const versionRules = ({ version, sections }: ManifestRead): FindingWithPath[] => {
  const say = (part: string, at: JsonPath) => createFinding("version-part", MANIFEST_FILE, { part, version }, { at });
  return [
    ...sections
      .filter(({ body }) => version < "2.3" && body.requests !== undefined)
      .map(({ kind, name }) => say("requests", [kind, name, "requests"])),
  ];
};

/** Checks a well-formed manifest for errors of its content, and against the files of app/. */
export async function manifestRules(folder: string, read: ManifestRead): Promise<FindingWithPath[]> {
  const bySection = await Promise.all(read.sections.map((section) => sectionRules(folder, section)));
  return [
    ...read.findings,
    ...sectionCountRules(read),
    ...bySection.flat(),
    ...dependencyRules(read.manifest.dependencies),
    ...domainRules(read.whitelistedDomains),
    ...versionRules(read),
  ];
}
