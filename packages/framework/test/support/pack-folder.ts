import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fromBuffer, type ZipFile } from "yauzl";
import { packProject, type Package, type PackResult } from "../../src/package/pack/pack.ts";
import type { PackTarget } from "../../src/package/pack/json-file.ts";
import { loadProject } from "../../src/package/load/load.ts";
import { createProjectTools } from "../../src/runtime/process/inspect.ts";
import type { LoadedProject } from "../../src/model/project.ts";

/** Files of an app by path. `undefined` removes a default file. */
export type AppFiles = Readonly<Record<string, string | Buffer | object | undefined>>;

export const MANIFEST = {
  "platform-version": "3.0",
  modules: {
    common: { events: { onAppInstall: { handler: "install" } } },
    chat_conversation: {
      location: { conversation_user_info: { url: "index.html", icon: "icon.svg" } },
      events: { onMessageCreate: { handler: "hear" } },
    },
  },
  engines: { node: "20.19.0" },
};

const APP: AppFiles = {
  "manifest.json": MANIFEST,
  "package.json": { name: "small-app", version: "1.0.0", type: "module" },
  "README.md": "# Small app\n",
  "config/iparams.json": {},
  "app/index.html": "<!doctype html><title>App</title>{{{appclient}}}",
  "app/icon.svg": "<svg/>",
  "server/server.ts": `import { greeting } from "./lib/greeting.ts";
interface Args { readonly name: string }
export default {
  install: (): void => renderData(),
  hear({ name }: Args): void { console.info(greeting(name)); },
};
`,
  "server/lib/greeting.ts": 'export const greeting = (name: string): string => `Hello ${name ?? "you"}`;\n',
};

/** Returns the entries of an archive in order, as read by a library other than the one that wrote it. */
export const entriesOf = (zip: Uint8Array): Promise<Map<string, Buffer>> =>
  new Promise((resolve, reject) => {
    const entries = new Map<string, Buffer>();
    const read = (archive: ZipFile) => {
      archive.on("error", reject);
      archive.on("end", () => resolve(entries));
      archive.on("entry", (entry: { fileName: string }) => {
        archive.openReadStream(entry as never, (error, stream) => {
          if (error) return reject(error);
          const chunks: Buffer[] = [];
          stream.on("data", (chunk: Buffer) => chunks.push(chunk));
          stream.on("end", () => {
            entries.set(entry.fileName, Buffer.concat(chunks));
            archive.readEntry();
          });
        });
      });
      archive.readEntry();
    };
    fromBuffer(Buffer.from(zip), { lazyEntries: true }, (error, archive) => (error ? reject(error) : read(archive)));
  });

export interface PackFolders {
  /** Writes the default app with some files changed. Returns its folder. */
  write(files?: AppFiles): Promise<string>;
  pack(folder: string, target?: PackTarget): Promise<PackResult>;
  /** Packs an app and expects no finding. */
  packValid(files?: AppFiles, target?: PackTarget): Promise<Package>;
  /** Extracts a package into a new folder. Returns the folder. */
  unpack(zip: Uint8Array): Promise<string>;
  load(folder: string): Promise<LoadedProject>;
  remove(): Promise<void>;
}

export async function packFolders(): Promise<PackFolders> {
  const base = await mkdtemp(join(tmpdir(), "parley-pack-"));
  const tools = await createProjectTools();
  let turn = 0;
  const fill = async (files: Iterable<readonly [string, AppFiles[string]]>): Promise<string> => {
    const folder = join(base, `app-${(turn += 1)}`);
    for (const [file, content] of files) {
      if (content === undefined) continue;
      const path = join(folder, file);
      await mkdir(dirname(path), { recursive: true });
      const isText = typeof content === "string" || Buffer.isBuffer(content);
      await writeFile(path, isText ? content : JSON.stringify(content, null, 2));
    }
    return folder;
  };
  const write = (files: AppFiles = {}) => fill(Object.entries({ ...APP, ...files }));
  const pack = (folder: string, target?: PackTarget) => packProject(folder, tools, target);
  return {
    write,
    pack,
    async packValid(files, target) {
      const { package: packed, findings } = await pack(await write(files), target);
      if (!packed) throw new Error(`nothing was packed: ${JSON.stringify(findings)}`);
      return packed;
    },
    unpack: async (zip) => fill(await entriesOf(zip)),
    load: (folder) => loadProject(folder, tools),
    remove: () => {
      tools.bundler.close();
      return rm(base, { recursive: true, force: true });
    },
  };
}
