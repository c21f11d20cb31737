import { join } from "node:path";
import { APP_LIMITS, CHAT_PRODUCT, MODULES, PLACES_OF_2_X, type AppPlace, type Manifest } from "@parley/contract";
import { appFilePath, readAppFileText } from "../files/app-file.ts";
import {
  withFix,
  type FindingDetail,
  type FindingWithPath,
  type JsonEdit,
  type JsonPath,
} from "../../model/finding.ts";
import {
  MANIFEST_FILE,
  type ManifestRead,
  type ManifestSection,
  isProductEvent,
  isProductPlace,
} from "../../model/manifest.ts";
import { createFinding } from "../../model/rules.ts";
import { misspeltMembers } from "../../model/similar-name.ts";
import { sectionNameRules } from "./manifest-names.ts";
import { domainRules } from "./refused-hosts.ts";

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]{1,39}$/;
/** Version of a dependency. */
export const EXACT_VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
/** Matches package names of npm. A match cannot be an option or a path. */
export const PACKAGE_NAME = /^(?:@[a-z0-9~][a-z0-9-._~]*\/)?[a-z0-9~][a-z0-9-._~]*$/i;
/** Places that are invisible. */
const INVISIBLE_PLACE = /_background$/;

const existsInApp = async (folder: string, file: string) =>
  (await appFilePath(join(folder, "app"), file)) !== undefined;

/** A path from the app's folder in place of one from app/. */
const appPathFix = async (folder: string, path: string, at: JsonPath): Promise<Pick<FindingDetail, "fix">> => {
  const below = path.replace(/^\.?\/?(?:app\/)?/, "");
  const file = below.split(/[?#]/)[0] ?? "";
  const isThere = below !== path && file !== "" && (await existsInApp(folder, file));
  return withFix(isThere ? [{ kind: "set", at, value: below }] : []);
};

/** The member of a place under a misspelt name. */
const misspeltPart = (declared: AppPlace, part: "url" | "icon", at: JsonPath): Pick<FindingDetail, "fix"> =>
  withFix(
    misspeltMembers(Object.keys(declared), ["url", "icon"])
      .filter(({ meant }) => meant === part)
      .map(({ name, meant }) => ({ kind: "rename", at: [...at, name], name: meant })),
  );

/** Help for a missing file of an app whose package.json has a build, such as an app with a bundler that creates app/. */
const buildHelp = async (folder: string): Promise<Pick<FindingDetail, "help">> => {
  const text = await readAppFileText(folder, "package.json");
  return /"build"\s*:/.test(text ?? "")
    ? { help: "If the app's build creates it, run 'npm install' and 'npm run build' first." }
    : {};
};

async function placeRules(
  folder: string,
  at: JsonPath,
  declared: AppPlace,
  isOurs: boolean,
): Promise<FindingWithPath[]> {
  const [, module = "", , name = ""] = at;
  const place = `${module}/${name}`;
  const findings: FindingWithPath[] = [];
  const build = await buildHelp(folder);
  const file = declared.url?.split(/[?#]/)[0];
  if (!file) {
    const detail = { at: [...at, "url"], ...misspeltPart(declared, "url", at) };
    findings.push(createFinding("place-url", MANIFEST_FILE, { place }, detail));
  } else if (!(await existsInApp(folder, file))) {
    const detail = { at: [...at, "url"], ...(await appPathFix(folder, declared.url ?? "", [...at, "url"])), ...build };
    findings.push(createFinding("place-template", MANIFEST_FILE, { file, place }, detail));
  }
  const { icon } = declared;
  if (!icon && (!isOurs || INVISIBLE_PLACE.test(name))) return findings;
  const iconAt = [...at, "icon"];
  if (!icon) {
    const detail = { at: iconAt, ...misspeltPart(declared, "icon", at) };
    findings.push(createFinding("place-icon", MANIFEST_FILE, { place }, detail));
  } else if (!(await existsInApp(folder, icon))) {
    const detail = { at: iconAt, ...(await appPathFix(folder, icon, iconAt)), ...build };
    findings.push(createFinding("place-icon-file", MANIFEST_FILE, { file: icon, place }, detail));
  }
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

const chatModules = Object.values(MODULES);

/** Names that places or events of a section may have. */
const knownNames = ({ kind, name }: ManifestSection, part: "location" | "events"): readonly string[] => {
  const column = part === "location" ? "places" : "events";
  const ofProduct = kind === "product" && name === CHAT_PRODUCT ? chatModules.flatMap((row) => row[column]) : [];
  const ofVersion = ofProduct.length > 0 && part === "location" ? Object.keys(PLACES_OF_2_X) : [];
  return kind === "product" ? [...ofProduct, ...ofVersion] : (moduleRow(name)?.[column] ?? []);
};

/** Corrections of misspelt places or events. */
const renamesIn = (section: ManifestSection, part: "location" | "events"): Extract<JsonEdit, { kind: "rename" }>[] =>
  misspeltMembers(Object.keys(section.body[part] ?? {}), knownNames(section, part)).map(({ name, meant }) => ({
    kind: "rename",
    at: [section.kind, section.name, part, name],
    name: meant,
  }));

async function sectionRules(
  folder: string,
  section: ManifestSection,
  sectionNames: readonly string[],
): Promise<FindingWithPath[]> {
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
    ...sectionNameRules(section, sectionNames),
    ...(unknownPlaces.length > 0
      ? [
          createFinding(
            "place",
            MANIFEST_FILE,
            { module: `${kind}.${name}`, places: unknownPlaces.join(", ") },
            { at: [kind, name, "location", unknownPlaces[0] ?? ""], ...withFix(renamesIn(section, "location")) },
          ),
        ]
      : []),
    ...events.map((event) =>
      createFinding(
        "event",
        MANIFEST_FILE,
        { event, module: name },
        {
          at: [kind, name, "events", event],
          ...(kind === "modules" && commonEvents.includes(event) && { help: `${event} belongs to the module common.` }),
          ...withFix(renamesIn(section, "events").filter(({ at }) => at.at(-1) === event)),
        },
      ),
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
      ...(timeout === undefined || APP_LIMITS.functionSeconds.includes(timeout)
        ? []
        : [createFinding("function-timeout", MANIFEST_FILE, { name }, { at })]),
    ];
  });

/** `=1.2.3` and `v1.2.3` are exact; `^1.2.3` could be any of many versions. */
const exactVersionFix = (version: string, at: JsonPath): JsonEdit[] => {
  const exact = version.trim().replace(/^(?:=\s*)?v?/, "");
  return EXACT_VERSION.test(exact) ? [{ kind: "set", at, value: exact }] : [];
};

const dependencyRules = (dependencies: Manifest["dependencies"] = {}): FindingWithPath[] =>
  Object.entries(dependencies).flatMap(([name, version]) => {
    const at = ["dependencies", name];
    return [
      ...(PACKAGE_NAME.test(name) ? [] : [createFinding("dependency-name", MANIFEST_FILE, { name }, { at })]),
      ...(EXACT_VERSION.test(version)
        ? []
        : [
            createFinding(
              "dependency",
              MANIFEST_FILE,
              { name, version },
              { at, ...withFix(exactVersionFix(version, at)) },
            ),
          ]),
    ];
  });

const sectionCountRules = ({ sections, version }: ManifestRead): FindingWithPath[] => {
  if (sections.some(({ kind, name }) => kind === "product" || name !== "common")) return [];
  return version < "3"
    ? [createFinding("manifest-product", MANIFEST_FILE, {}, { at: ["product"] })]
    : [createFinding("modules", MANIFEST_FILE, {}, { at: ["modules"] })];
};

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
  const names = read.sections.map(({ name }) => name);
  const bySection = await Promise.all(read.sections.map((section) => sectionRules(folder, section, names)));
  return [
    ...read.findings,
    ...sectionCountRules(read),
    ...bySection.flat(),
    ...dependencyRules(read.manifest.dependencies),
    ...domainRules(read.whitelistedDomains),
    ...versionRules(read),
  ];
}
