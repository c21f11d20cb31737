import { createHash } from "node:crypto";
import {
  PACKAGE_REFUSED,
  PACKAGE_TOO_LARGE,
  refuse,
  SERVICE_UNAVAILABLE,
  VERSION_EXISTS,
  type PublishedVersion,
} from "@parley/contract";
import { createSemaphore } from "@parley/database";
import { PackageRefused } from "../package/archive/package-refused.ts";
import type { PackedFile } from "../package/files/app-file.ts";
import { unpackPackage } from "../package/pack/archive.ts";
import { admitCode, IsolationMissing } from "../sandbox/origin.ts";
import { packagesFolder, makePackagesFolder, removeAbandonedFolders } from "./package-folders.ts";
import type { PreparedVersion } from "./app-preparation.ts";
import { prepareVersion, checkNotStopped, type PreparationDeps } from "./preparation-process.ts";
import { nextVersion, publishedName } from "./published-name.ts";
import type { AppVersionRow, PackageChanges, PackageStore } from "./store.ts";

interface Publication {
  readonly archive: Uint8Array;
  /** Absent: the name in package.json of the package. */
  readonly name?: string | undefined;
  /** Absent: the version in package.json of the package, else the next whole number. */
  readonly version?: string | undefined;
  /** Accounts whose catalogue has the app; null: all. Absent: as before, at first all. */
  readonly accounts?: readonly string[] | null | undefined;
  /** IP address of the client, for the audit log. */
  readonly address?: string | undefined;
}

export interface Publisher {
  /**
   * Publishes a version of an app. A repeated publication returns the existing version.
   * @errors Refusal PACKAGE_REFUSED | PACKAGE_TOO_LARGE | VERSION_EXISTS | SERVICE_UNAVAILABLE
   */
  publish(publication: Publication): Promise<PublishedVersion>;
}

interface PublisherDeps extends Omit<PreparationDeps, "folder"> {
  readonly store: PackageStore;
  readonly dataFolder: string;
  /** Number of apps that are prepared at the same time. */
  readonly maxPreparations?: number;
}

/** Each takes a process with up to 1 GiB of memory. An app that takes long does not delay the others. */
const PREPARATIONS_MAX = 4;
const WAITING_PUBLICATIONS_MAX = 100;
/** @units milliseconds */
const WAIT_FOR_PREPARATION_MS = 60_000;
/** Retry-After of a publication that got no turn. @units seconds */
const RETRY_AFTER_WAIT_SECONDS = 30;

/** @errors Refusal */
const filesOf = async (archive: Uint8Array): Promise<readonly PackedFile[]> => {
  try {
    return await unpackPackage(archive);
  } catch (error) {
    if (!(error instanceof PackageRefused)) throw error;
    return refuse(
      error.isTooLarge ? PACKAGE_TOO_LARGE : PACKAGE_REFUSED,
      `The package can't be published. ${error.message}`,
    );
  }
};

/** The existing version that a publication repeats; undefined for a new version. @errors Refusal VERSION_EXISTS */
const repeated = (
  versions: readonly AppVersionRow[],
  { version, digest }: { readonly version: string | undefined; readonly digest: string },
): AppVersionRow | undefined => {
  const existing = version === undefined ? versions[0] : versions.find((one) => one.version === version);
  if (existing?.digest === digest) return existing;
  return existing && version !== undefined
    ? refuse(
        VERSION_EXISTS,
        `Version ${version} of the app is published with other contents. A published version never changes. ` +
          "Raise the version in package.json, then publish again.",
      )
    : undefined;
};

const answerOf = (name: string, { version, digest, declaration }: Omit<AppVersionRow, "number" | "published_time">) => {
  const { permissions, hosts, events } = declaration;
  return { name, version, digest, permissions, hosts, events };
};

/** As the row of the contract limits them. */
const AUDIT_MEMBERS_MAX = 1_000;

/** Members of an entry of the audit log. @shape accounts: null: all */
const offerMembers = (accounts: readonly string[] | null): readonly string[] =>
  accounts === null ? ["all accounts"] : accounts.slice(0, AUDIT_MEMBERS_MAX);

interface Offer {
  readonly name: string;
  /** Null: all. */
  readonly accounts: readonly string[] | null;
  readonly address: string | undefined;
}

/** Sets the accounts whose catalogue has a published app, with the entry of the audit log if they differ. */
export const offerApp = async (
  changes: PackageChanges,
  { name, accounts, address }: Offer,
  ports: PreparationDeps["ports"],
): Promise<void> => {
  if (!(await changes.setAccounts(name, accounts))) return;
  const report = { action: "app.offer", app: name, members: offerMembers(accounts), address } as const;
  await changes.report({ id: ports.newId(), ...report }, ports.now());
};

/** Creates the publisher of a process, and removes what an ended one has left. */
export async function createPublisher(deps: PublisherDeps): Promise<Publisher> {
  const { store, ports, boundary, log } = deps;
  const folder = packagesFolder(deps.dataFolder);
  await makePackagesFolder(folder);
  await removeAbandonedFolders(folder, ports.now());
  const preparations = createSemaphore({
    max: deps.maxPreparations ?? PREPARATIONS_MAX,
    maxWaiting: WAITING_PUBLICATIONS_MAX,
    acquireTimeoutMs: WAIT_FOR_PREPARATION_MS,
  });

  /** Stores a version, unless another publication has done so in the meantime. */
  const save = (
    { version: wanted, accounts, address }: Publication,
    { name, prepared }: { readonly name: string; readonly prepared: PreparedVersion },
  ): Promise<PublishedVersion> =>
    store.change(async (changes) => {
      const now = ports.now();
      const isNew = await changes.lockApp(name, accounts ?? null, now);
      const versions = await changes.versions(name);
      const existing = repeated(versions, { version: wanted, digest: prepared.digest });
      if (accounts !== undefined && !isNew) await offerApp(changes, { name, accounts, address }, ports);
      if (existing) return answerOf(name, existing);
      const version = wanted ?? nextVersion(versions.map((one) => one.version));
      await changes.insertVersion(name, (versions[0]?.number ?? 0) + 1, { ...prepared, version }, now);
      const report = { action: "app.publish", app: name, members: [version], address } as const;
      await changes.report({ id: ports.newId(), ...report }, now);
      return answerOf(name, { ...prepared, version });
    });

  const publish = async (publication: Publication): Promise<PublishedVersion> => {
    const { archive, accounts, address } = publication;
    checkNotStopped(deps.shutdownSignal);
    const files = await filesOf(archive);
    const { name, version } = publishedName(
      {
        ...(publication.name !== undefined && { name: publication.name }),
        ...(publication.version !== undefined && { version: publication.version }),
      },
      files,
    );
    const digest = createHash("sha256").update(archive).digest("hex");
    const existing = repeated(await store.versions(name), { version, digest });
    if (existing) {
      if (accounts !== undefined)
        await store.change((changes) => offerApp(changes, { name, accounts, address }, ports));
      return answerOf(name, existing);
    }
    try {
      admitCode(boundary, "package", () => undefined);
    } catch (error) {
      if (error instanceof IsolationMissing) return refuse(PACKAGE_REFUSED, error.message);
      throw error;
    }
    log(`Publishing ${name} …`);
    const prepared = await prepareVersion({ name, digest, files }, { ...deps, folder });
    const published = await save({ ...publication, version }, { name, prepared });
    log(`Published ${name}, version ${published.version}.`);
    return published;
  };

  return {
    async publish(publication) {
      await preparations
        .acquire()
        .catch(() =>
          refuse(
            SERVICE_UNAVAILABLE,
            "The platform is preparing other apps. Publish the app again later.",
            RETRY_AFTER_WAIT_SECONDS,
          ),
        );
      try {
        return await publish(publication);
      } finally {
        preparations.release();
      }
    },
  };
}
