import type { EventRow } from "../event-payload/store.ts";
import type { SubscriberKind } from "../dispatch/subscriber-kind.ts";
import { isPossibleAction, chosenActions } from "./actions.ts";
import { type WebhookPayload, createWebhookPayload } from "./payload.ts";
import type { webhooks } from "@parley/contract";
import type { Pool, Vault } from "@parley/database";
import { egress as openEgress } from "@parley/egress";
import type { Directory } from "../../messaging/directory/directory.ts";
import { accountStore } from "../../messaging/accounts/store.ts";
import type { RecordAudit } from "../../identity/audit/record.sql.ts";
import type { RouteHandlers } from "../../http/route-handlers.ts";
import { outboundEventMessages } from "../../messaging/outbound/outbound-message.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { WEBHOOK_CONFIG, type WebhookConfig } from "./config.ts";
import { webhookKeys } from "./signing-keys.ts";
import { createPostWebhook } from "./post.ts";
import { webhookHandlers } from "./routes.ts";
import { createWebhookSecrets } from "./secret.ts";

interface WebhookKindDeps {
  readonly payloadsOf: (row: EventRow) => Promise<readonly WebhookPayload[]>;
  readonly post: SubscriberKind["send"];
  readonly close: () => Promise<void>;
}

/** Webhooks as subscribers: each receives the actions that it chose. */
const webhookKind = ({ payloadsOf, post, close }: WebhookKindDeps): SubscriberKind => {
  /** Webhooks that receive one event at the same time share its texts. */
  const texts = new WeakMap<EventRow, Promise<readonly WebhookPayload[]>>();
  const textsOf = (row: EventRow): Promise<readonly WebhookPayload[]> => {
    const cached = texts.get(row);
    if (cached) return cached;
    const payloads = payloadsOf(row);
    texts.set(row, payloads);
    payloads.catch(() => texts.delete(row));
    return payloads;
  };
  return {
    wants: ({ actions }, eventKind) => isPossibleAction(eventKind, actions),
    requestsFor: async ({ actions }, row) => {
      const wanted = chosenActions(actions);
      return (await textsOf(row)).filter(({ action }) => wanted.includes(action));
    },
    send: post,
    close,
  };
};

interface WebhooksDeps {
  readonly pool: Pool;
  readonly directory: Directory;
  readonly ports: Ports;
  readonly config: WebhookConfig | undefined;
  /** Encrypts secrets. */
  readonly vault: () => Promise<Vault>;
  /** Whether the instance is for this machine only. */
  readonly isLocal: boolean;
  readonly recordAudit: RecordAudit;
  readonly resignUrls: (text: string, accountId: number) => string;
}

interface Webhooks {
  readonly kind: SubscriberKind;
  readonly handlers: RouteHandlers<typeof webhooks>;
  readonly close: () => Promise<void>;
}

const HOUR_MS = 60 * 60 * 1_000;
/** Timeout of a test delivery. @units milliseconds */
const TEST_TIMEOUT_MS = 15_000;

/** Webhooks: payloads, signatures, delivery and the admin's endpoints. */
export const createWebhooks = (deps: WebhooksDeps): Webhooks => {
  const { pool, directory, ports, config = WEBHOOK_CONFIG, isLocal, recordAudit, resignUrls } = deps;
  const { now } = ports;
  const { vault } = deps;
  const overlapMs = config.overlapHours * HOUR_MS;
  const egress = openEgress({ allowLoopback: config.allowsLoopback ?? isLocal });
  const keys = webhookKeys({ pool, ports, vault, listedMs: overlapMs });
  const post = createPostWebhook({ egress, now, signer: keys.signer, secretsOf: createWebhookSecrets(vault) });
  const close = () => egress.close();
  const accounts = accountStore(pool);
  return {
    kind: webhookKind({
      payloadsOf: createWebhookPayload({ directory, outboundMessage: outboundEventMessages(pool), resignUrls }),
      post,
      close,
    }),
    handlers: webhookHandlers({
      pool,
      accounts,
      recordAudit,
      ports,
      vault,
      egress,
      keys,
      post,
      overlapMs,
      testTimeoutMs: TEST_TIMEOUT_MS,
    }),
    close,
  };
};
