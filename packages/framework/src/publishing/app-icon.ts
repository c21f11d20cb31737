import { posix } from "node:path";
import type { PackedFile } from "../package/files/app-file.ts";
import type { Project } from "../package/model/project.ts";

/** Maximum length of an icon's data URL. @units characters */
export const ICON_CHARACTERS_MAX = 64 * 1024;

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** Data URL of the icon of the first place that has one; undefined if it is no image of the app, or too large. */
export const appIcon = ({ manifest }: Pick<Project, "manifest">, files: readonly PackedFile[]): string | undefined => {
  const places = Object.values(manifest.modules).flatMap(({ location = {} }) => Object.values(location));
  const icon = places.find((place) => place.icon)?.icon;
  if (icon === undefined) return undefined;
  const path = posix.join("app", icon.replace(/[?#].*$/, ""));
  const type = IMAGE_TYPES[posix.extname(path).toLowerCase()];
  const file = files.find((one) => one.path === path);
  if (type === undefined || !file || !path.startsWith("app/")) return undefined;
  const address = `data:${type};base64,${Buffer.from(file.bytes).toString("base64")}`;
  return address.length <= ICON_CHARACTERS_MAX ? address : undefined;
};
