import { urlOf } from "@parley/contract";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { findInstance } from "../instance/instance.ts";
import { printable } from "../output/table.ts";
import { adminKeyOf, type RefusalHints } from "./admin-client.ts";

/** The API of a platform, with its admin key. */
interface PlatformConnection {
  readonly origin: string;
  readonly key: string;
  readonly hints: RefusalHints;
}

const NEXT_KEY = "Set PARLEY_ADMIN_KEY to the admin key of that instance: the file admin-key in its data folder.";

/** @errors CommandFailure for an address that is not an origin, and without a key */
const remotePlatform = (url: string): PlatformConnection => {
  const parsed = urlOf(url);
  const isOrigin =
    parsed && /^https?:$/.test(parsed.protocol) && /^\/?$/.test(parsed.pathname + parsed.search + parsed.hash);
  if (!parsed || !isOrigin || parsed.username !== "" || parsed.password !== "")
    throw new CommandFailure(`--url takes an address such as https://apps.example.com, not '${printable(url)}'.`);
  const { adminKey } = parleyConfig();
  if (adminKey === undefined) throw new CommandFailure(`--url needs a key. ${NEXT_KEY}`);
  return { origin: parsed.origin, key: adminKey, hints: { UNAUTHENTICATED: NEXT_KEY } };
};

/** @errors CommandFailure if no instance with a platform runs on the data folder */
const localPlatform = async (): Promise<PlatformConnection> => {
  const { dataFolder, adminKey } = parleyConfig();
  const instance = await findInstance(dataFolder);
  if (!instance)
    throw new CommandFailure(
      `No instance runs on ${dataFolder}. Start an instance with 'npx parley start', set PARLEY_DATA to the data folder of a running instance, or name another machine with --url.`,
    );
  if (instance.platform === undefined)
    throw new CommandFailure(
      `The instance on ${instance.folder} does not run published apps. Restart it with this release, then publish again.`,
    );
  const hints: RefusalHints =
    adminKey === undefined ? {} : { UNAUTHENTICATED: "Unset PARLEY_ADMIN_KEY, or set it to the key of the instance." };
  return { origin: new URL(instance.platform).origin, key: await adminKeyOf(instance.folder), hints };
};

/** Connects to the platform at the address, or to that of the instance that runs on the data folder. @errors CommandFailure */
export const connectPlatform = (url: string | undefined): Promise<PlatformConnection> | PlatformConnection =>
  url === undefined ? localPlatform() : remotePlatform(url);
