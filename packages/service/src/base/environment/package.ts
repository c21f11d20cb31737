import { existsSync, readFileSync } from "node:fs";

/** The nearest folder above a module with a `package.json`: the bundle in `dist/` has another depth than the sources. */
const packageFolderOf = (moduleUrl: string): URL => {
  let folder = new URL(".", moduleUrl);
  while (!existsSync(new URL("package.json", folder))) folder = new URL("..", folder);
  return folder;
};

const PACKAGE_FOLDER = packageFolderOf(import.meta.url);

const { version, build } = JSON.parse(readFileSync(new URL("package.json", PACKAGE_FOLDER), "utf8")) as {
  version: string;
  build?: string;
};

/**
 * Version of the release, with the commit that it was built from: two builds of one version can be told apart. A clone has no build.
 * @shape `0.1.0+3f2c1a9d4e`
 */
export const VERSION = build === undefined ? version : `${version}+${build}`;

/** Static files that the service serves. */
export const ASSETS_FOLDER = new URL("assets/", PACKAGE_FOLDER);
