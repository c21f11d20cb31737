import type { AppSetting, AppSettingDeclaration, AppSettingsConfig } from "@parley/contract";
import type { Vault } from "@parley/database";
import type { Log } from "@parley/telemetry";
import type { HostPorts } from "../environment/ports.ts";
import { installationReport, type ChangeAuthor } from "../identity/change-reports.ts";
import type { RecordOwner } from "./records.sql.ts";
import { appSettingOwner } from "./secret-owners.ts";
import type { AppSettingStore } from "./installations.sql.ts";

/**
 * Values of the settings that `config/app_settings.json` declares, by key. A setting that is no longer declared is omitted. On other app hosts,
 * the app's developer sets them in a portal, once for all accounts.
 * @assumed An admin sets them on the installation page. They belong to the app on one account, can be set before the app is installed, and
 *   are removed when it is uninstalled.
 */
export interface AppSettingValues {
  /** Settings that are declared with `"secure": false`. */
  readonly open: Readonly<Record<string, string>>;
  readonly secure: Readonly<Record<string, string>>;
}

export interface AppSettings {
  values(): Promise<AppSettingValues>;
  /** The settings for display: without secure values. */
  list(): Promise<readonly AppSetting[]>;
  /** Stores values and removes others in one transaction. */
  save(values: Readonly<Record<string, string>>, removed: readonly string[], author?: ChangeAuthor): Promise<void>;
}

interface AppSettingsDeps extends Pick<HostPorts, "now" | "newId"> {
  readonly owner: RecordOwner;
  readonly declared: () => AppSettingsConfig;
  readonly store: AppSettingStore;
  readonly vault: Vault;
}

const isSecure = ({ secure }: AppSettingDeclaration): boolean => secure !== false;

/** Separates open values from secure values. */
export const splitSettings = (
  values: Readonly<Record<string, string>>,
  declared: AppSettingsConfig,
): AppSettingValues => {
  const those = (wanted: boolean) =>
    Object.fromEntries(
      Object.entries(declared).flatMap(([key, declaration]) => {
        const value = Object.hasOwn(values, key) ? values[key] : undefined;
        return value === undefined || isSecure(declaration) !== wanted ? [] : [[key, value]];
      }),
    );
  return { open: those(false), secure: those(true) };
};

export const createAppSettings = ({ owner, declared, store, vault, now, newId }: AppSettingsDeps): AppSettings => {
  const ownerOf = (key: string) => appSettingOwner(owner.project, key);
  const values = async (): Promise<AppSettingValues> => {
    const config = declared();
    if (Object.keys(config).length === 0) return { open: {}, secure: {} };
    const rows = (await store.list(owner)).filter(({ key }) => Object.hasOwn(config, key));
    const opened = rows.map(({ key, sealed }) => [key, vault.open(ownerOf(key), sealed)] as const);
    return splitSettings(Object.fromEntries(opened), config);
  };
  return {
    values,
    async list() {
      const { open, secure } = await values();
      return Object.entries(declared()).map(([key, declaration]): AppSetting => {
        const value = Object.hasOwn(open, key) ? open[key] : undefined;
        return {
          key,
          label: declaration.display_name ?? key,
          description: declaration.description ?? "",
          isSecure: isSecure(declaration),
          isSet: value !== undefined || Object.hasOwn(secure, key),
          ...(value !== undefined && { value }),
        };
      });
    },
    async save(input, removed, author) {
      const sealed = Object.entries(input).map(([key, value]) => [key, vault.seal(ownerOf(key), value)]);
      const members = [...Object.keys(input), ...removed].map((name) => `app_settings.${name}`);
      const report =
        author &&
        installationReport(author, {
          id: newId(),
          account: owner.account,
          app: owner.project,
          action: "app.change",
          members,
        });
      await store.save(owner, Object.fromEntries(sealed) as Record<string, string>, removed, now(), report);
    },
  };
};

/** Logs the settings that have no value: requests that refer to them fail. */
export const logUnsetSettings = (settings: readonly AppSetting[], app: string, log: Log): void => {
  const unset = settings.filter(({ isSet }) => !isSet).map(({ key }) => key);
  if (unset.length === 0) return;
  log(
    `${app} has app settings without a value: ${unset.join(", ")}. Enter them on its installation page, or by 'npx parley setting set'.`,
    { level: "warn" },
  );
};
