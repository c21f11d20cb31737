import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { sampleRows } from "../support/campaign.ts";
import { emptyUserFolder } from "./installed-release.ts";

/** The released packages as npm installs them on other systems: every program and library is for that system. */

const SYSTEMS = [
  ["linux", "arm64"],
  ["darwin", "x64"],
  ["darwin", "arm64"],
] as const;

const ELF = 0x7f454c46;
const MACH_O = 0xcffaedfe;
const MACH_O_UNIVERSAL = 0xcafebabe;
const ELF_MACHINES: Readonly<Record<number, string>> = { 0x3e: "linux-x64", 0xb7: "linux-arm64" };
const MACH_O_CPUS: Readonly<Record<number, string>> = { 0x01000007: "darwin-x64", 0x0100000c: "darwin-arm64" };
/** More architectures in a universal file are not expected: a Java class has the same first bytes and a larger number. */
const UNIVERSAL_PARTS_MAX = 8;
const HEADER_BYTES = 8 + 20 * UNIVERSAL_PARTS_MAX;

const headerOf = (path: string): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, "r");
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  return header;
};

/** The systems that can run a program or load a library; undefined for another file. */
const systemsOf = (path: string): readonly string[] | undefined => {
  const header = headerOf(path);
  const magic = header.readUInt32BE(0);
  if (magic === ELF) return [ELF_MACHINES[header.readUInt16LE(18)] ?? "another ELF machine"];
  if (magic === MACH_O) return [MACH_O_CPUS[header.readUInt32LE(4)] ?? "another Mach-O processor"];
  const parts = header.readUInt32BE(4);
  if (magic !== MACH_O_UNIVERSAL || parts > UNIVERSAL_PARTS_MAX) return undefined;
  return Array.from({ length: parts }, (_, index) => MACH_O_CPUS[header.readUInt32BE(8 + 20 * index)] ?? "another");
};

/** What users need, by the end of the path. */
const NEEDED = [
  /\/bin\/postgres$/,
  /\/bin\/initdb$/,
  /@esbuild\/.*\/bin\/esbuild$/,
  /\/sharp-[\w.-]+\.node$/,
  /\/libvips-cpp\./,
];

test.each(sampleRows(SYSTEMS, 1))(
  "npm install --os=%s --cpu=%s brings programs and libraries for that system, and no other",
  async (os, cpu) => {
    const user = await emptyUserFolder(["@parley/parley"]);
    try {
      await user.succeed(["npm", "init", "-y"]);
      // Installation scripts run on this machine and would add its own programs.
      const flags = [`--os=${os}`, `--cpu=${cpu}`, "--libc=glibc", "--ignore-scripts", "--no-audit", "--no-fund"];
      await user.succeed(["npm", "install", ...flags, ...user.tarballs.map((path) => `./${path}`)]);
      const folder = join(user.folder, "node_modules");
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      const programs = files.flatMap((path) => {
        const systems = systemsOf(path);
        return systems ? [{ path: path.slice(folder.length), systems }] : [];
      });
      expect(programs.filter(({ systems }) => !systems.includes(`${os}-${cpu}`))).toEqual([]);
      expect(NEEDED.filter((pattern) => !programs.some(({ path }) => pattern.test(path)))).toEqual([]);
    } finally {
      await user.remove();
    }
  },
  300_000,
);
