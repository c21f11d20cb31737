/** Where browsers are looked for: the one definition for tests and for the script that runs them. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

const CHROMIUM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/** The same engine without a browser's own windows: a page costs a quarter of the processor time. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";
const FIREFOX = ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"];

/** -> the version that a program prints; undefined if it does not run: some systems install a script that only says where to get the browser */
const versionOf = (path) => {
  if (!existsSync(path)) return undefined;
  const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return status === 0 ? (/\d[\d.]+/.exec(stdout)?.[0] ?? "unknown") : undefined;
};

/** -> the program that a variable names, else the first of the list that runs @errors Error if the variable names no file */
const installedAt = (variable, paths) => {
  const named = process.env[variable];
  if (named !== undefined && !existsSync(named)) throw new Error(`${variable} names no file: ${named}`);
  for (const path of named === undefined ? paths : [named]) {
    const version = versionOf(path);
    if (version !== undefined) return { path, version };
  }
  return undefined;
};

/** -> an installed Chromium or Chrome, as people have it: BROWSER_PATH, then the usual paths */
export const installedChromium = () => installedAt("BROWSER_PATH", [...CHROMIUM, HEADLESS_SHELL]);

/** -> an installed Chromium for tests that see pages only: BROWSER_PATH, then the headless shell, then the usual paths */
export const installedHeadlessChromium = () => installedAt("BROWSER_PATH", [HEADLESS_SHELL, ...CHROMIUM]);

/** Whether the browser of `@sparticuz/chromium` runs here. */
export const hasNpmChromium = process.platform === "linux" && process.arch === "x64";

const npmChromium = () => {
  if (!hasNpmChromium) return undefined;
  const path = join(createRequire(import.meta.url).resolve("@sparticuz/chromium"), "../../../package.json");
  return { path: "npm: @sparticuz/chromium", version: JSON.parse(readFileSync(path, "utf8")).version };
};

/** -> the first path that exists of a file in the folders */
const inFolders = (folders, name) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
const inPath = (name) => inFolders((process.env.PATH ?? "").split(delimiter), name);

/** -> the paths of WebKitGTK's driver and of its browser; `xvfb` is absent if the machine has a display */
export const installedWebKit = () => {
  const libraries = ["/usr/lib", "/usr/lib64"].flatMap((folder) =>
    existsSync(folder) ? [folder, ...readdirSync(folder).map((each) => join(folder, each))] : [],
  );
  const driver = inPath("WebKitWebDriver");
  const path = inFolders(
    [...libraries, "/usr/libexec"].flatMap((each) => [join(each, "webkit2gtk-4.1"), join(each, "webkitgtk-6.0")]),
    "MiniBrowser",
  );
  const xvfb = process.env.DISPLAY ? undefined : inPath("Xvfb");
  if (!driver || !path || !(process.env.DISPLAY || xvfb)) return undefined;
  return {
    driver,
    path,
    xvfb,
    version:
      spawnSync("dpkg-query", ["-Wf", "${Version}", "webkit2gtk-driver"], { encoding: "utf8" }).stdout?.replace(
        /-.*/,
        "",
      ) || "unknown",
  };
};

/** The engines of the browsers that people use. */
const ENGINES = [
  { name: "Chromium", packages: "chromium", find: () => installedChromium() ?? npmChromium() },
  { name: "Firefox", packages: "firefox-esr", find: () => installedAt("FIREFOX_PATH", FIREFOX) },
  { name: "WebKitGTK", packages: "webkit2gtk-driver xvfb", find: installedWebKit },
];

/** -> the Chromium of tests that see pages only, as `describeBrowsers` describes an engine */
export const describeHeadlessChromium = () => ({
  name: "Chromium",
  ...(installedHeadlessChromium() ?? npmChromium() ?? { missing: "apt-get install chromium" }),
});

/** -> each engine with its version and path; a missing one with how it is installed */
export const describeBrowsers = () =>
  ENGINES.map(({ name, packages, find }) => {
    const found = find();
    return found
      ? { name, version: found.version, path: found.path }
      : { name, missing: `apt-get install ${packages}` };
  });
