import { createHash } from "node:crypto";
import { PRODUCT_EVENTS, type AppSubscriptionSettings } from "@parley/contract";
import { webhookSecret } from "@parley/egress";
import type { Vault } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import { EVENTS_PATH } from "../../runtime/triggers/service-events.ts";
import type { Project } from "../../model/project.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { VersionSource } from "../published/published-units.ts";
import type { PublishedInstallation, PublishedInstallationStore } from "../published/store.ts";
import type { PlatformServiceClient } from "./service-client.ts";

/** Kinds of the service's events that an app handles. */
const eventKindsOf = ({ handlers }: Project): string[] =>
  Object.entries(PRODUCT_EVENTS)
    .filter(([, { name }]) => handlers.some(({ event }) => event === name))
    .map(([kind]) => kind);

/**
 * Keeps the subscriptions of installations in the service as the installations are: address, events, paused or not. The settings that
 * the service has confirmed are stored with the installation, so that a change that was interrupted is completed later.
 */
export interface InstallationSubscriptions {
  /** Sends the settings of an installation, whose turn the caller has, if the service has not confirmed them. @errors Refusal */
  synchronise(installation: PublishedInstallation): Promise<void>;
  /**
   * Completes the last change of an installation, after those under way: sends its settings if the service has not confirmed them, or ends
   * the subscription of an app that is not installed any more.
   * -> the installation; undefined when the app is not installed
   * @errors Refusal
   */
  complete(owner: RecordOwner): Promise<PublishedInstallation | undefined>;
  /**
   * Completes a change of an installation that the service has not confirmed, before the installation is shown: the version that is shown
   * receives all its events from then on. If that fails, the failure is logged and the installation is returned as it is stored.
   * -> undefined when the app was uninstalled meanwhile
   */
  confirmed(installation: PublishedInstallation): Promise<PublishedInstallation | undefined>;
  /** Ends the subscription of an installation that is about to be removed, and whose turn the caller has. @errors Refusal */
  end(installation: PublishedInstallation): Promise<void>;
  /** Sends what the service has not confirmed, for all installations. Failures are logged and tried again by the next call. */
  synchroniseAll(): Promise<void>;
  /** Secrets that sign the events of an installation: the present secret, then those before a rotation of the key. */
  secretsOf(installation: string): readonly string[];
}

interface SubscriptionsDeps {
  readonly store: PublishedInstallationStore;
  readonly versions: VersionSource;
  readonly service: PlatformServiceClient;
  readonly vault: Pick<Vault, "derive" | "deriveAll">;
  /** Origin at which the service reaches the platform. */
  readonly platformOrigin: () => string;
  readonly log: Log;
}

export const createInstallationSubscriptions = (deps: SubscriptionsDeps): InstallationSubscriptions => {
  const { store, versions, service, log } = deps;
  const purposeOf = (id: string): string => `platform/events/${id}`;
  const secretOf = (id: string): string => webhookSecret(deps.vault.derive(purposeOf(id)));

  const settingsOf = async (installation: PublishedInstallation): Promise<AppSubscriptionSettings | undefined> => {
    const project = await versions.project(installation.project, installation.version);
    return (
      project && {
        url: `${deps.platformOrigin()}${EVENTS_PATH}/${installation.id}`,
        secret: secretOf(installation.id),
        events: eventKindsOf(project),
        paused: installation.state === "paused",
      }
    );
  };
  /** With a hash of the secret, so that a new one is sent after a rotation of the key that it is derived from. */
  const confirmationOf = ({ url, secret, events, paused }: AppSubscriptionSettings): string =>
    JSON.stringify({ url, secret: createHash("sha256").update(secret).digest("base64url"), events, paused });

  /** -> the settings that the service has not confirmed */
  const unconfirmed = async (installation: PublishedInstallation): Promise<AppSubscriptionSettings | undefined> => {
    const settings = await settingsOf(installation);
    return settings && installation.subscription !== confirmationOf(settings) ? settings : undefined;
  };

  const synchronise = async (installation: PublishedInstallation): Promise<void> => {
    const settings = await unconfirmed(installation);
    if (!settings) return;
    await service.putSubscription(installation.account, installation.project, settings);
    await store.confirmSubscription(installation.id, confirmationOf(settings));
  };

  const complete = (owner: RecordOwner): Promise<PublishedInstallation | undefined> =>
    store.inTurn(owner, async () => {
      const installation = await store.find(owner);
      if (installation) await synchronise(installation);
      else await service.deleteSubscription(owner.account, owner.project);
      return installation;
    });

  const confirmed = async (installation: PublishedInstallation): Promise<PublishedInstallation | undefined> => {
    try {
      return (await unconfirmed(installation)) ? await complete(installation) : installation;
    } catch (error) {
      const { project, account } = installation;
      log(`The subscription of ${project} on ${account} could not be set: ${failureText(error)}`, { level: "error" });
      return installation;
    }
  };

  return {
    secretsOf: (id) => deps.vault.deriveAll(purposeOf(id)).map(webhookSecret),
    synchronise,
    complete,
    confirmed,
    async end({ id, account, project }) {
      await store.confirmSubscription(id, null);
      await service.deleteSubscription(account, project);
    },
    async synchroniseAll() {
      for (const installation of await store.all()) await confirmed(installation);
    },
  };
};
