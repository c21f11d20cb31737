import { relative, sep } from "node:path";

/** Whether the path is the folder's or lies below it. Both are absolute and without `..`. */
export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * Whether a file of the app's own is hidden: it, or a folder on the way to it, has a name that begins with a dot. Keys, histories and
 * the data of a local instance have such names.
 */
export const isHidden = (folder: string, path: string): boolean => {
  const names = relative(folder, path).split(sep);
  const packages = names.indexOf("node_modules");
  return (packages < 0 ? names : names.slice(0, packages)).some((name) => name.startsWith("."));
};

/** Why a path is refused, as the finding words it. */
export const REFUSALS = {
  outside: "it leads out of the app's folder",
  link: "it is a link, or lies behind one, that leads out of the app's folder",
  hidden: "hidden files and folders are not part of an app",
  attribute: 'the only import attribute that an app may use is type: "json"',
  sourceMap: "the source map that it names is not in the app's folder",
} as const;
