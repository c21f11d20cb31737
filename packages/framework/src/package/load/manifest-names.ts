import { CHAT_PRODUCT, isObject, Manifest, MODULES, ProductManifest } from "@parley/contract";
import { withFix, type FindingDetail, type FindingWithPath } from "../../model/finding.ts";
import { MANIFEST_FILE, type ManifestRead, type ManifestSection } from "../../model/manifest.ts";
import { createFinding } from "../../model/rules.ts";
import { misspeltMembers, similarName } from "../../model/similar-name.ts";

/** The rename of one misspelt member, if the name that it means is not used yet. */
const renameOf = (
  name: string,
  at: readonly string[],
  members: readonly string[],
  known: readonly string[],
): Pick<FindingDetail, "fix"> =>
  withFix(
    misspeltMembers(members, known)
      .filter((one) => one.name === name)
      .map(({ meant }) => ({ kind: "rename", at: [...at, name], name: meant })),
  );

/**
 * Findings for the name of a module or product. Names of other products are accepted, and their places and events have no effect.
 * @assumed A name at most two letters from one of the chat product is a misspelt name. It is an error only where places or events would be lost.
 */
export const sectionNameRules = (
  { kind, name, body }: ManifestSection,
  sectionNames: readonly string[],
): FindingWithPath[] => {
  const known = kind === "modules" ? Object.keys(MODULES) : [CHAT_PRODUCT];
  if (known.includes(name)) return [];
  const meant = similarName(name, known);
  const hasParts = Object.keys({ ...body.location, ...body.events }).length > 0;
  const detail = { at: [kind, name], ...renameOf(name, [kind], sectionNames, known) };
  if (meant !== undefined && hasParts) {
    const parts = { kind: kind === "modules" ? "module" : "product", name, meant };
    return [createFinding("module-misspelt", MANIFEST_FILE, parts, detail)];
  }
  if (kind === "product" || !name.startsWith("chat")) return [];
  const help = detail.fix ? {} : { help: `The chat product has ${known.join(", ")}.` };
  return [createFinding("module-name", MANIFEST_FILE, { module: name }, { ...help, ...detail })];
};

/** Members that the field's tools write, and that have no meaning here. */
const IGNORED_MEMBERS = ["devDependencies", "settings", "metaConfig", "$schema", "whitelisted-domains"];

/** Members of the manifest that nothing reads, also `product` beside `modules`. */
export const memberRules = (json: unknown, { version }: ManifestRead): FindingWithPath[] => {
  const known = Object.keys((version < "3" ? ProductManifest : Manifest).properties);
  const members = Object.keys(isObject(json) ? json : {});
  return members
    .filter((member) => ![...known, ...IGNORED_MEMBERS].includes(member))
    .map((member) => {
      const meant = [...new Set([...known, "whitelisted-domains"])];
      return createFinding(
        "manifest-member",
        MANIFEST_FILE,
        { member },
        { at: [member], ...renameOf(member, [], members, meant) },
      );
    });
};
