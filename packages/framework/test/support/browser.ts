import { spawnSync } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { access, constants, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from "playwright-core";
import {
  hasNpmChromium,
  installedChromium,
  installedHeadlessChromium,
} from "../../../../test/engines/installed-engines.mjs";

/** An executable and its environment variables. */
interface Executable {
  readonly path: string;
  readonly env: Record<string, string>;
}

/** The npm package's default arguments disable web security. Headless tests need only these. */
const ARGUMENTS = [
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );

/** Returns the user's cache folder, or a temporary one if the user has no writable home. */
const cacheFolder = async (): Promise<string> => {
  const wanted = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "parley-chromium");
  try {
    await mkdir(wanted, { recursive: true });
    await access(wanted, constants.W_OK);
    return wanted;
  } catch {
    const instead = join(tmpdir(), `parley-chromium-${process.getuid?.() ?? "user"}`);
    await mkdir(instead, { recursive: true });
    return instead;
  }
};

/** Unpacks the browser of the npm package once per version. With concurrent processes the first one to finish wins; the others use its result. */
const unpacked = async (): Promise<string> => {
  const require = createRequire(import.meta.url);
  const packed = dirname(dirname(dirname(require.resolve("@sparticuz/chromium"))));
  const { version } = JSON.parse(await readFile(join(packed, "package.json"), "utf8")) as { version: string };
  const cache = await cacheFolder();
  const installFolder = join(cache, version);
  if (existsSync(join(installFolder, "complete"))) return installFolder;
  const { extract } = createRequire(join(packed, "package.json"))("tar-fs") as { extract: (to: string) => Writable };
  const own = await mkdtemp(join(cache, "unpacking-"));
  const unpack = (name: string, to: Writable) =>
    pipeline(createReadStream(join(packed, "bin", name)), createBrotliDecompress(), to);
  await Promise.all([
    unpack("chromium.br", createWriteStream(join(own, "chromium"), { mode: 0o755 })),
    unpack("al2023.tar.br", extract(join(own, "libraries"))),
    unpack("fonts.tar.br", extract(join(own, "fonts"))),
    unpack("swiftshader.tar.br", extract(own)),
  ]);
  await writeFile(join(own, "complete"), "");
  await rename(own, installFolder).catch(async (error: unknown) => {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(join(installFolder, "complete"))) throw error;
  });
  return installFolder;
};

const fromNpm = async (): Promise<Executable> => {
  const installFolder = await unpacked();
  const path = join(installFolder, "chromium");
  const env = environment();
  // Exit status 127: the loader misses a library, as on a minimal system. The npm package includes the libraries.
  if (spawnSync(path, ["--version"], { env }).status === 127) {
    env["LD_LIBRARY_PATH"] = [join(installFolder, "libraries", "lib"), env["LD_LIBRARY_PATH"]]
      .filter(Boolean)
      .join(":");
  }
  if (!existsSync("/etc/fonts/fonts.conf")) {
    const nested = join(installFolder, "fonts", "fonts");
    env["FONTCONFIG_PATH"] ??= existsSync(nested) ? nested : join(installFolder, "fonts");
  }
  return { path, env };
};

const executableOf = async (installed: { readonly path: string } | undefined): Promise<Executable> => {
  if (installed) return { path: installed.path, env: environment() };
  if (hasNpmChromium) return fromNpm();
  throw new Error("No browser was found. Install Chromium or Chrome, or give one in BROWSER_PATH.");
};

/**
 * Finds a browser: BROWSER_PATH, then an installed Chromium (the headless shell first) or Chrome, then the one inside `@sparticuz/chromium`.
 * @errors Error with one sentence without a browser: tests of pages fail without a browser
 */
const findBrowser = (): Promise<Executable> => executableOf(installedHeadlessChromium());

const optionsOf = ({ path, env }: Executable, more: readonly string[]) => {
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return { executablePath: path, env, headless: true, args: [...ARGUMENTS, ...asRoot, ...more] };
};

const launch = (executable: Executable, more: readonly string[]): Promise<Browser> =>
  chromium.launch(optionsOf(executable, more));

/** Starts a headless browser with a new profile. The caller closes it. */
export const launchBrowser = async (more: readonly string[] = []): Promise<Browser> =>
  launch(await findBrowser(), more);

/** The same with the browser that people have, not its headless shell. */
export const launchWholeBrowser = async (): Promise<Browser> => launch(await executableOf(installedChromium()), []);

/** Starts the browser that people have, with the profile of a folder, whose settings the caller has written. */
export const launchProfile = async (folder: string, options: BrowserContextOptions = {}): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, {
    ...options,
    ...optionsOf(await executableOf(installedChromium()), []),
  });
