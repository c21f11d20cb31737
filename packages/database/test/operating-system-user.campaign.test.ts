import { chmodSync, chownSync, cpSync, existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { DatabaseUnavailable } from "../src/index.ts";
import { binariesIn, findBinaries } from "../src/embedded/binaries.ts";
import { ensureCluster } from "../src/embedded/cluster.ts";
import { chooseHome } from "../src/embedded/home.ts";
import { canUse, identitiesOfRoot, currentUser } from "../src/embedded/identity.ts";
import { ignorePreparedCluster } from "../src/testing.ts";
import { temporaryFolders } from "./temporary-folders.ts";
import { startDataFolderProcess, processesIn } from "./data-folder-process.ts";

ignorePreparedCluster();
const folders = temporaryFolders();
afterAll(() => folders.removeAll());

const isRoot = process.getuid?.() === 0;
const binaries = findBinaries();

/** A user other than root, and a folder that this user owns. */
function ordinaryUser() {
  const folder = folders.create();
  if (!isRoot) return { folder, identity: currentUser };
  const identity = identitiesOfRoot("/nobody").find((each) => {
    chownSync(folder, each.owner?.uid ?? 0, each.owner?.gid ?? 0);
    return [process.execPath, binaries.postgres].every((program) => canUse(each, program, folder));
  });
  if (!identity) throw new Error("no identity of this system can work in a temporary folder");
  return { folder, identity };
}

describe("an ordinary user", () => {
  test("starts, stops and finds the rows again", async () => {
    const { folder, identity } = ordinaryUser();
    expect((await startDataFolderProcess(folder, "count", identity)).firstLine).toBe("marks 1");
    expect((await startDataFolderProcess(folder, "count", identity)).firstLine).toBe("marks 2");
    expect(processesIn(folder)).toEqual([]);
  });

  test("keeps the data after a start by root in between", async () => {
    const { folder, identity } = ordinaryUser();
    expect((await startDataFolderProcess(folder, "count", identity)).firstLine).toBe("marks 1");
    expect((await startDataFolderProcess(folder, "count")).firstLine).toBe("marks 2");
    expect((await startDataFolderProcess(folder, "count", identity)).firstLine).toBe("marks 3");
  });

  test("gets one line about a folder that can't be written", async () => {
    const { folder, identity } = ordinaryUser();
    chmodSync(folder, 0o500);
    for (const below of [folder, join(folder, "below")])
      expect((await startDataFolderProcess(below, "count", identity)).firstLine).toMatch(
        /^DatabaseUnavailable: The data folder \S+ can't be written: EACCES.* Change its permissions, or choose another data folder\.$/,
      );
  });
});

// Only root can select the server's user.
if (isRoot)
  describe("a user without a name, as in a container with any user id,", () => {
    const NAMELESS = { uid: 12_345, gid: 12_345 };
    const identity = { prefix: [], user: NAMELESS, owner: NAMELESS };
    const folderOfUser = () => {
      const folder = folders.create();
      chownSync(folder, NAMELESS.uid, NAMELESS.gid);
      return folder;
    };

    test("starts, stops and finds the rows again", async () => {
      const folder = folderOfUser();
      expect((await startDataFolderProcess(folder, "count", identity)).firstLine).toBe("marks 1");
      expect((await startDataFolderProcess(folder, "count", identity)).firstLine).toBe("marks 2");
      expect(processesIn(folder)).toEqual([]);
    });

    test("gets one line that says what to do if the system permits no user namespaces", async () => {
      // The program that makes namespaces is not found.
      const env = { ...process.env, PATH: "/nowhere" };
      expect((await startDataFolderProcess(folderOfUser(), "count", identity, env)).firstLine).toMatch(
        /^DatabaseUnavailable: PostgreSQL can't run as the user 12345, which has no name .* or set DATABASE_URL\.$/,
      );
    });
  });

if (isRoot)
  describe("root without user namespaces", () => {
    const system = () => {
      const folder = folders.create();
      chmodSync(folder, 0o711);
      const identities = (files: string) => identitiesOfRoot(files).filter(({ prefix }) => prefix.length === 0);
      return { folder: join(folder, "parley"), identities };
    };

    /** Returns binaries that every user can read, even if this checkout is in a folder that only root may enter. */
    const reachable = () => {
      const folder = folders.create();
      chmodSync(folder, 0o755);
      cpSync(binaries.folder, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
      return binariesIn(join(folder, "native"), binaries.version);
    };

    test("keeps the data in a folder that other users may enter", () => {
      const dataFolder = folders.create();
      chmodSync(dataFolder, 0o711);
      expect(chooseHome(dataFolder, reachable(), system()).folder).toBe(join(dataFolder, "postgres"));
    });

    test("grants the server's group access to a private data folder, and nobody else", () => {
      const dataFolder = folders.create();
      const { folder, identity } = chooseHome(dataFolder, reachable(), system());
      expect(folder).toBe(join(dataFolder, "postgres"));
      const { mode, uid, gid } = statSync(dataFolder);
      expect([(mode & 0o777).toString(8), uid, gid]).toEqual(["710", 0, identity.user?.gid]);
      expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
    });

    test("keeps the cluster in the system's folder if only root may enter the data folder, and leaves a note there", async () => {
      const dataFolder = folders.create("data");
      const elsewhere = system();
      // A cluster that was created with user namespaces.
      const before = chooseHome(dataFolder, binaries, { ...elsewhere, identities: identitiesOfRoot });
      expect(before.folder).toBe(join(dataFolder, "postgres"));
      await ensureCluster(before.folder, binaries, before.identity);

      const home = chooseHome(dataFolder, binaries, elsewhere);
      expect(home.folder.startsWith(elsewhere.folder)).toBe(true);
      expect(existsSync(join(home.folder, "cluster", "PG_VERSION"))).toBe(true);
      expect(statSync(join(home.folder, "cluster")).uid).not.toBe(0);
      expect(readdirSync(join(dataFolder, "postgres"))).toEqual(["moved-to"]);
      expect(readFileSync(join(dataFolder, "postgres", "moved-to"), "utf8")).toBe(`${home.folder}\n`);
      expect(chooseHome(dataFolder, binaries, elsewhere)).toMatchObject({
        folder: home.folder,
        identity: { user: home.identity.user },
      });
      await ensureCluster(home.folder, binaries, home.identity);
    });

    test("copies binaries that the server's user can't read", () => {
      const dataFolder = folders.create();
      const hidden = { ...binaries, postgres: join(folders.create(), "bin", "postgres") };
      const elsewhere = system();
      const home = chooseHome(dataFolder, hidden, elsewhere);
      expect(home.binaries.postgres.startsWith(elsewhere.folder)).toBe(true);
      expect(canUse(home.identity, home.binaries.initdb, home.folder)).toBe(true);
    });

    test("gets one line if no user can run the server", () => {
      const nobody = { ...system(), identities: () => [] };
      const attempt = () => chooseHome(folders.create(), binaries, nobody);
      expect(attempt).toThrow(DatabaseUnavailable);
      expect(attempt).toThrow(/must not run as root[^\n]* set DATABASE_URL\.$/);
    });
  });
