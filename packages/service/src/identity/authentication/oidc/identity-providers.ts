import type { Pool, Vault } from "@parley/database";
import { egress as openEgress } from "@parley/egress";
import type { Log } from "@parley/telemetry";
import type { AccountStore } from "../../../messaging/accounts/store.ts";
import type { RecordAudit } from "../../audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import type { SignInThrottle } from "../sign-in/throttle.sql.ts";
import { providerAdminHandlers, type CallbackUrlOf } from "./provider-administration.ts";
import { createProviderClients } from "./provider-clients.ts";
import { createProviderSignIn } from "./provider-sign-in.ts";
import { providerStore } from "./store.ts";

interface IdentityProvidersDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  readonly vault: () => Promise<Vault>;
  readonly accounts: Pick<AccountStore, "byName">;
  readonly signIn: SignIn;
  readonly throttle: SignInThrottle;
  readonly recordAudit: RecordAudit;
  readonly registeredCallbackOf: CallbackUrlOf;
  /** Whether the instance is for this machine only. */
  readonly isLocal: boolean;
  readonly log: Log;
}

/** OpenID Connect providers of accounts, and the sign-in by them. */
export function createIdentityProviders(deps: IdentityProvidersDeps) {
  const { pool, ports, vault, accounts, signIn, throttle, recordAudit, registeredCallbackOf, isLocal, log } = deps;
  // An admin of an account chooses the addresses: every request passes the guard.
  const egress = openEgress({ allowLoopback: isLocal });
  const clients = createProviderClients({ egress, vault, isLocal });
  const store = providerStore(pool);
  return {
    signIn: createProviderSignIn({ pool, ports, vault, clients, signIn, throttle, log }),
    handlers: providerAdminHandlers({ pool, accounts, ports, vault, egress, recordAudit, registeredCallbackOf }),
    /** Providers of an account, by its name. */
    ofAccount: (account: string) => store.list(account),
    close: () => egress.close(),
  };
}
