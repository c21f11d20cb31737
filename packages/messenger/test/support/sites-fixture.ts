import { join } from "node:path";
import { parleyClient, type ParleyClient } from "@parley/client";
import type { MessengerSetting } from "@parley/contract";
import { startParley, temporaryFolder, type RunningParley } from "../../../../test/support/parley-process.ts";
import { setMessenger } from "./account.ts";
import { bundleSite, installFixture, type BundleOptions } from "./built-site.ts";
import { serveSite, type Site, type SiteFile } from "./site.ts";

/** A running Parley, and sites that embed its messenger. */
export interface SitesFixture {
  readonly running: RunningParley;
  readonly client: ParleyClient;
  /** Address of the service, which is another site than `localhost` to browsers. */
  readonly host: string;
  /** Folder for what a test builds. */
  readonly folder: string;
  /** Sets what an admin enters about the messenger. */
  configure(messenger: MessengerSetting): Promise<void>;
  /** Installs a fixture. -> bundles one of its entries */
  install(name: string): Promise<(entry: string, options?: BundleOptions) => Promise<string>>;
  serve(files: Readonly<Record<string, SiteFile>>, options?: Parameters<typeof serveSite>[1]): Promise<Site>;
  close(): Promise<void>;
}

/** @shape messenger: what an admin has entered about the messenger of the demo account */
export const sitesFixture = async (messenger: MessengerSetting = {}): Promise<SitesFixture> => {
  const data = await temporaryFolder();
  const running = await startParley(join(data.folder, "instance"));
  const sites: Site[] = [];
  const configure = (setting: MessengerSetting) =>
    setMessenger(running.service, join(data.folder, "instance"), setting);
  await configure(messenger);
  return {
    running,
    client: parleyClient({ url: running.service, token: running.token }),
    host: new URL(running.service).origin.replace("localhost", "127.0.0.1"),
    folder: data.folder,
    configure,
    async install(name) {
      const folder = join(data.folder, name);
      await installFixture(name, folder);
      return (entry, options) => bundleSite(folder, entry, options);
    },
    async serve(files, options) {
      const site = await serveSite(files, options);
      sites.push(site);
      return site;
    },
    async close() {
      await Promise.all(sites.map((site) => site.close()));
      await running.stop();
      await data.remove();
    },
  };
};
