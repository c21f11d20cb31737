import { createHash } from "node:crypto";
import { inWalkOrder, type PackedFile } from "./walk.ts";

const MANIFEST = "manifest.json";

/** 32 hex digits over the bytes of the files of app/ in the order of a walk, then those of manifest.json. */
export const digestOf = (files: readonly PackedFile[]): string => {
  const shown = files.filter(({ path }) => path.startsWith("app/")).sort(inWalkOrder);
  const hash = createHash("md5");
  for (const { bytes } of [...shown, ...files.filter(({ path }) => path === MANIFEST)]) hash.update(bytes);
  return hash.digest("hex");
};
