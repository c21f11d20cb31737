import {
  memberOf,
  matchesSchema,
  Manifest,
  schemaErrors,
  PLATFORM_VERSIONS,
  ProductManifest,
  type AppModule,
  type PlatformVersion,
} from "@parley/contract";
import { declaredHosts } from "../../request/templates/whitelist.ts";
import type { Finding, FindingWithPath } from "./finding.ts";
import { misfitPath, misfitMessage } from "./json.ts";
import { modulesOf } from "./product-modules.ts";
import { createFinding } from "./rules.ts";

export const MANIFEST_FILE = "manifest.json";

/** A part of the manifest as its author wrote it: a module of 3.x or a product of 2.x. */
export interface ManifestSection {
  readonly kind: "modules" | "product";
  readonly name: string;
  readonly body: AppModule;
}

export interface ManifestRead {
  /** In the normal form, with modules. */
  readonly manifest: Manifest;
  readonly version: PlatformVersion;
  readonly sections: readonly ManifestSection[];
  readonly whitelistedDomains?: readonly string[];
  readonly declaredHosts: readonly string[];
  readonly findings: readonly FindingWithPath[];
}

type Reader = (json: unknown, version: PlatformVersion) => ManifestRead | { readonly findings: readonly Finding[] };

const shapeFindings = (schema: Parameters<typeof schemaErrors>[0], json: unknown): FindingWithPath[] =>
  schemaErrors(schema, json).map((misfit) =>
    createFinding(
      "manifest-shape",
      MANIFEST_FILE,
      { place: misfit.pointer, text: misfitMessage(misfit) },
      { at: misfitPath(misfit) },
    ),
  );

const sectionsIn = (kind: ManifestSection["kind"], bodies: Readonly<Record<string, AppModule>>): ManifestSection[] =>
  Object.entries(bodies).map(([name, body]) => ({ kind, name, body }));

const hostsIn = (json: object): Pick<ManifestRead, "declaredHosts"> => {
  const entries: unknown = Reflect.get(json, "whitelisted-domains");
  return { declaredHosts: declaredHosts(Array.isArray(entries) ? entries : []) };
};

/** Reads a manifest with modules, which already has the normal form. */
const readModules: Reader = (json, version) =>
  matchesSchema(Manifest, json)
    ? { manifest: json, version, sections: sectionsIn("modules", json.modules), ...hostsIn(json), findings: [] }
    : { findings: shapeFindings(Manifest, json) };

/** Reads a manifest with products, and converts them to modules. */
const readProducts: Reader = (json, version) => {
  if (!matchesSchema(ProductManifest, json)) return { findings: shapeFindings(ProductManifest, json) };
  const { product, "whitelisted-domains": domains, ...rest } = json;
  const { modules, findings } = modulesOf(product);
  return {
    manifest: { ...rest, modules },
    version,
    sections: sectionsIn("product", product),
    ...(version < "2.3" ? { whitelistedDomains: domains ?? [] } : {}),
    ...hostsIn(json),
    findings,
  };
};

const readerOf = (version: PlatformVersion): Reader => (version < "3" ? readProducts : readModules);

/** Reads a manifest of any supported version. */
export const readAppManifest: (json: unknown) => ReturnType<Reader> = (json) => {
  const declaredVersion: unknown = memberOf(json, "platform-version");
  const version = PLATFORM_VERSIONS.find((known) => known === declaredVersion);
  if (version !== undefined) return readerOf(version)(json, version);
  const help = `"platform-version" must be one of: ${PLATFORM_VERSIONS.join(", ")}.`;
  return { findings: [createFinding("manifest-version", MANIFEST_FILE, {}, { help, at: ["platform-version"] })] };
};
