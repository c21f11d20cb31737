import type { webhooks } from "@parley/contract";
import { openVault, type Pool, type Vault } from "@parley/database";
import { egress as openEgress } from "@parley/egress";
import type { Directory } from "../accounts/directory.ts";
import { accountStore } from "../accounts/store.ts";
import type { SubscriberKind } from "../events/kinds.ts";
import type { HandlersOf } from "../http/slice.ts";
import { toldMessages } from "../outbound/told.ts";
import type { Ports } from "../ports.ts";
import { UsageFailure } from "../usage-failure.ts";
import { WEBHOOK_CONFIG, type WebhookConfig } from "./config.ts";
import { webhookKeys } from "./keys.ts";
import { webhookKind } from "./kind.ts";
import { saying } from "./payload.ts";
import { posting } from "./posting.ts";
import { webhookHandlers } from "./routes.ts";
import { secrets } from "./secret.ts";

export interface WebhooksDeps {
  readonly pool: Pool;
  readonly directory: Directory;
  readonly ports: Ports;
  readonly config: WebhookConfig | undefined;
  /** The text of the setting that holds the key of secrets. */
  readonly secretsKey: string | undefined;
  /** Where the key lies when there is no such setting. */
  readonly secretsFolder: string | undefined;
  /** An instance for one's own machine. */
  readonly isLocal: boolean;
  readonly fresh: (text: string, accountId: number) => string;
}

export interface WebhooksPart {
  readonly kind: SubscriberKind;
  readonly handlers: HandlersOf<typeof webhooks>;
  readonly close: () => Promise<void>;
}

const HOUR = 60 * 60 * 1_000;
/** How long an endpoint may take to answer a test. @units milliseconds */
const TRY = 15_000;

/** Opened when it is first asked for: who has no webhooks needs no key. A failure is not remembered. */
const lazyVault = ({ secretsFolder, secretsKey, ports }: WebhooksDeps): (() => Promise<Vault>) => {
  let opened: Promise<Vault> | undefined;
  const open = async (): Promise<Vault> => {
    if (secretsKey === undefined && secretsFolder === undefined)
      throw new UsageFailure("There is no key for the secrets of webhooks: set PARLEY_SECRETS_KEY to 64 hex digits.");
    return openVault(secretsFolder ?? ".", ports.random, secretsKey);
  };
  return () =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
};

/**
 * Webhooks: what they are told, how it is signed and sent, and what their owner does with them.
 * @errors SecretsKeyUnusable for a setting that holds no key
 */
export const webhooksPart = async (deps: WebhooksDeps): Promise<WebhooksPart> => {
  const { pool, directory, ports, config = WEBHOOK_CONFIG, isLocal, fresh } = deps;
  const { now } = ports;
  const vault = lazyVault(deps);
  if (deps.secretsKey !== undefined) await vault();
  const overlapMs = config.overlapHours * HOUR;
  const egress = openEgress({ allowLoopback: config.allowsLoopback ?? isLocal });
  const keys = webhookKeys({ pool, ports, vault, listedMs: overlapMs });
  const post = posting({ egress, now, signer: keys.signer, secretsOf: secrets(vault) });
  const close = () => egress.close();
  const accounts = accountStore(pool);
  return {
    kind: webhookKind({
      say: saying({ directory, outboundMessage: toldMessages(pool), fresh }),
      post,
      close,
    }),
    handlers: webhookHandlers({ pool, accounts, ports, vault, egress, keys, post, overlapMs, tryMs: TRY }),
    close,
  };
};
