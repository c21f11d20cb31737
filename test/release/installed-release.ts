import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { waitUntil } from "../support/wait-until.ts";
import { ROOT, run, type CommandResult } from "../support/parley-process.ts";

/** The released packages, installed as an ordinary user of an empty folder installs them. */

export interface ReleasedPackage {
  readonly name: string;
  readonly version: string;
  /** Absolute path of the package. */
  readonly file: string;
}

export type PackageName = "@parley/client" | "@parley/framework" | "@parley/parley";

const NOBODY_UID = 65_534;
/** User of the installation: the present user, or `nobody` instead of root. */
const USER = process.getuid?.() === 0 ? { uid: NOBODY_UID, gid: NOBODY_UID } : {};
const ownFile = (path: string): void => {
  if (USER.uid !== undefined) chownSync(path, USER.uid, USER.gid);
};

/** A folder that all test files of a run share. */
const sharedFolder = (): string => {
  const folder = process.env["PARLEY_TEST_FOLDER"];
  if (folder === undefined) throw new Error("test/setup/global-setup.mjs has not run.");
  chmodSync(folder, 0o755);
  return folder;
};

/** Makes something once for all test files of a run; the others wait. @shape make: writes into the folder */
async function makeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(sharedFolder(), name);
  const done = `${folder}.done`;
  try {
    await mkdir(folder);
  } catch {
    await waitUntil(
      () => {
        if (!existsSync(folder)) throw new Error(`${name} could not be made; another test file reports why.`);
        return existsSync(done);
      },
      { timeoutMs: 600_000 },
    );
    return folder;
  }
  try {
    await make(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  writeFileSync(done, "");
  return folder;
}

/** Runs `npm run release -- --json`. @shape out: absent or empty */
export async function buildRelease(
  out: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly ReleasedPackage[]> {
  const command = ["npm", "run", "--silent", "release", "--", "--json", "--out", out];
  const { status, stdout, stderr } = await run(command, { env });
  if (status !== 0) throw new Error(`npm run release failed:\n${stderr}`);
  const { packages } = JSON.parse(stdout) as { packages: ReleasedPackage[] };
  return packages.map((one) => ({ ...one, file: join(ROOT, one.file) }));
}

/** The packages of this tree, built once in a run of tests. */
export async function releasedPackages(): Promise<readonly ReleasedPackage[]> {
  const folder = await makeOnce("release", async (made) => {
    // The command replaces its folder, for whose absence the other test files would take it.
    writeFileSync(`${made}.json`, JSON.stringify(await buildRelease(join(made, "packages"))));
  });
  return JSON.parse(readFileSync(`${folder}.json`, "utf8")) as ReleasedPackage[];
}

/** npm's cache of all users of a run, so that each package is downloaded once. */
const npmCache = (): string => {
  const folder = join(sharedFolder(), "npm-cache");
  mkdirSync(folder, { recursive: true });
  ownFile(folder);
  return folder;
};

/** Environment of a user who has Node and npm, and nothing of the process that runs the tests. */
const userEnvironment = (home: string, nodeFolder = dirname(process.execPath)): Record<string, string> => ({
  HOME: home,
  PATH: [nodeFolder, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
  LANG: "C.UTF-8",
  ...{ npm_config_cache: npmCache(), npm_config_audit: "false", npm_config_fund: "false" },
  PARLEY_SERVICE_PORT: "0",
  PARLEY_APP_PORT: "0",
});

interface UserCommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface UserFolder {
  readonly folder: string;
  /** The user's name for the packages: files in `packages/` of the folder. */
  readonly tarballs: readonly string[];
  /** Creates a folder of the user. @shape path: relative */
  makeFolder(path: string): string;
  /** Writes a file of the user. @shape path: relative */
  write(path: string, text: string): void;
  /** Starts a command as the user. */
  start(argv: readonly string[], options?: UserCommandOptions): ReturnType<typeof spawn>;
  /** Runs a command as the user to its end. */
  run(argv: readonly string[], options?: UserCommandOptions): Promise<CommandResult>;
  /** Runs a command that must succeed. -> standard output */
  succeed(argv: readonly string[], options?: UserCommandOptions): Promise<string>;
  remove(): Promise<void>;
}

const userFolder = (folder: string, tarballs: readonly string[]): UserFolder => {
  chmodSync(folder, 0o755);
  ownFile(folder);
  const makeFolder = (path: string): string => {
    const made = join(folder, path);
    if (!existsSync(made)) {
      if (dirname(path) !== ".") makeFolder(dirname(path));
      mkdirSync(made);
      ownFile(made);
    }
    return made;
  };
  const start = (argv: readonly string[], { cwd = folder, env = {} }: UserCommandOptions = {}) => {
    const [file = "", ...args] = argv;
    return spawn(file, args, {
      cwd,
      env: { ...userEnvironment(folder), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      ...USER,
    });
  };
  const runAsUser = async (argv: readonly string[], options: UserCommandOptions = {}): Promise<CommandResult> => {
    const child = start(argv, options);
    const output = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
    child.stdin?.on("error", () => undefined).end(options.input ?? "");
    const status = await new Promise<number | null>((resolve, reject) =>
      child.once("error", reject).once("close", resolve),
    );
    return { status, ...output };
  };
  return {
    folder,
    tarballs,
    makeFolder,
    start,
    run: runAsUser,
    write: (path, text) => {
      if (dirname(path) !== ".") makeFolder(dirname(path));
      writeFileSync(join(folder, path), text);
      ownFile(join(folder, path));
    },
    async succeed(argv, options) {
      const { status, stdout, stderr } = await runAsUser(argv, options);
      if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
      return stdout;
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }),
  };
};

/** Copies of the packages in the user's folder, so that nothing refers to this tree. -> names relative to the folder */
const copyTarballs = async (folder: string, names: readonly PackageName[]): Promise<readonly string[]> => {
  const copies = join(folder, "packages");
  mkdirSync(copies, { recursive: true });
  return (await releasedPackages())
    .filter(({ name }) => (names as readonly string[]).includes(name))
    .map(({ file }) => {
      const copy = join("packages", basename(file));
      copyFileSync(file, join(folder, copy));
      chmodSync(join(folder, copy), 0o644);
      return copy;
    });
};

const ALL: readonly PackageName[] = ["@parley/client", "@parley/framework", "@parley/parley"];

/** A new folder of an ordinary user that contains the packages as files, and nothing else. */
export async function emptyUserFolder(names: readonly PackageName[] = ALL): Promise<UserFolder> {
  const folder = mkdtempSync(join(tmpdir(), "parley-user-"));
  return userFolder(folder, await copyTarballs(folder, names));
}

/** A new folder in which the user has installed the named packages. @shape others: further packages, from the registry */
export async function installedFolder(
  names: readonly PackageName[],
  others: readonly string[] = [],
): Promise<UserFolder> {
  const user = await emptyUserFolder(names);
  await user.succeed(["npm", "init", "-y"]);
  await user.succeed(["npm", "install", ...user.tarballs.map((path) => `./${path}`), ...others]);
  return user;
}
