import { fits, Manifest, misfits } from "@parley/contract";
import { errorIn, type Finding } from "./finding.ts";

export const MANIFEST = "manifest.json";

export type ManifestRead = { readonly manifest: Manifest } | { readonly findings: readonly Finding[] };

/** Reads the versions whose manifest has modules, as the normal form has. */
const readModules = (json: unknown): ManifestRead => {
  if (fits(Manifest, json)) return { manifest: json };
  return {
    findings: misfits(Manifest, json).map(({ pointer, message, properties }) =>
      errorIn(MANIFEST, "manifest-shape", [`manifest.json${pointer}`, message, ...properties].join(" ")),
    ),
  };
};

/** One reader a platform version: each translates into the normal form. */
const READERS: ReadonlyMap<unknown, (json: unknown) => ManifestRead> = new Map([["3.0", readModules]]);

/** Reads a manifest of any version that is known here. */
export const readManifest = (json: unknown): ManifestRead => {
  const version: unknown =
    typeof json === "object" && json !== null ? Reflect.get(json, "platform-version") : undefined;
  const read = READERS.get(version);
  if (read) return read(json);
  const message = "Invalid platform version mentioned in manifest.json";
  return {
    findings: [
      errorIn(MANIFEST, "manifest-version", message, { help: `known here: ${[...READERS.keys()].join(", ")}` }),
    ],
  };
};
