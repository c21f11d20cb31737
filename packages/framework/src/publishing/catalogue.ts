import type { CatalogueApp, CatalogueVersionDetails, PublishedApp } from "@parley/contract";
import type { AppVersionRow, ListedVersionRow, PackageStore } from "./store.ts";

/** Groups versions by app. @shape rows: by name, newest version first */
const appsOf = (rows: readonly ListedVersionRow[]): PublishedApp[] => {
  const apps = new Map<string, PublishedApp>();
  for (const { name, version, digest, published_time, permissions, undecided, declaration, ...row } of rows) {
    const listed = { version, digest, published_time: published_time.toISOString(), permissions, undecided };
    const known = apps.get(name);
    if (known) known.versions.push(listed);
    else if (declaration)
      apps.set(name, {
        name,
        title: declaration.title,
        description: declaration.description,
        ...(row.icon === null ? {} : { icon: row.icon }),
        versions: [listed],
        declaration,
        accounts: row.accounts && [...row.accounts],
        installations: row.installations,
      });
  }
  return [...apps.values()];
};

/** All published apps, or the app with the name. */
export const publishedApps = async (store: PackageStore, name?: string): Promise<PublishedApp[]> =>
  appsOf(await store.listed(name));

/** Apps that can be installed on an account. */
export const catalogueOf = async (store: PackageStore, account: string): Promise<CatalogueApp[]> =>
  appsOf(await store.catalogue(account)).map(({ accounts: _accounts, installations: _count, ...app }) => app);

/** One version with what it does. */
export const catalogueVersionOf = ({
  version,
  digest,
  published_time,
  declaration,
}: AppVersionRow): CatalogueVersionDetails => ({
  version,
  digest,
  published_time: published_time.toISOString(),
  permissions: declaration.permissions,
  undecided: declaration.undecided,
  declaration,
});
