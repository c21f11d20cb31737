import { posix } from "node:path";
import { readAppFileBytes, type PackedFile } from "../package/files/app-file.ts";
import type { Project } from "../model/project.ts";

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

/** The file of a place's icon. @shape icon: as in the manifest -> path from the app's folder; undefined if it is not an image in app/ */
const iconPath = (icon: string): string | undefined => {
  const path = posix.join("app", icon.replace(/[?#].*$/, ""));
  return path.startsWith("app/") && IMAGE_TYPES[posix.extname(path).toLowerCase()] !== undefined ? path : undefined;
};

const dataUrlOf = (path: string, bytes: Uint8Array): string | undefined => {
  const type = IMAGE_TYPES[posix.extname(path).toLowerCase()] ?? "";
  const address = `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
  return address.length <= ICON_CHARACTERS_MAX ? address : undefined;
};

/** The icon of the first place that has an icon, as in the manifest; "" without an icon. */
const firstIcon = ({ manifest }: Pick<Project, "manifest">): string => {
  const places = Object.values(manifest.modules).flatMap(({ location = {} }) => Object.values(location));
  return places.find((place) => place.icon)?.icon ?? "";
};

/** Data URL of the icon of the first place that has an icon; undefined if it is not an image of the app, or too large. */
export const appIcon = (project: Pick<Project, "manifest">, files: readonly PackedFile[]): string | undefined => {
  const path = iconPath(firstIcon(project));
  const file = files.find((one) => one.path === path);
  return path !== undefined && file ? dataUrlOf(path, file.bytes) : undefined;
};

/** Data URL of a place's icon in the app's folder; undefined as for `appIcon`. */
export const placeIcon = async ({ folder }: Pick<Project, "folder">, icon: string): Promise<string | undefined> => {
  const path = iconPath(icon);
  const bytes = path === undefined ? undefined : await readAppFileBytes(folder, path);
  return path !== undefined && bytes ? dataUrlOf(path, bytes) : undefined;
};

/** The same for an app in a folder. */
export const folderIcon = (project: Pick<Project, "folder" | "manifest">): Promise<string | undefined> =>
  placeIcon(project, firstIcon(project));
