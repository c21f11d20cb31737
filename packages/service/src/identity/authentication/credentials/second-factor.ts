import type { Db, Vault } from "@parley/database";
import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";
import type { Ports } from "../../../base/environment/ports.ts";
import { hashOf } from "../secrets/secrets.ts";
import { credentialStore, type AgentKey, type CredentialsRow } from "./store.ts";

/** RFC 6238, as every authenticator app supports it. @units period: seconds */
const TOTP_PARAMETERS = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** Codes of this many earlier and later periods are accepted, for clocks that differ. */
const WINDOW = 1;
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** Bytes of a recovery code: too many to be guessed from its hash. */
const RECOVERY_BYTES = 10;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Ten bytes as four groups of four letters and digits. */
const recoveryCode = (bytes: Buffer): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const signs = (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join("");
  return (signs.match(/.{4}/g) ?? []).join("-");
};
/** A code is accepted in any case, with or without hyphens and spaces. */
const plainCode = (text: string): string => text.toUpperCase().replace(/[\s-]/g, "");
const recoveryHash = (code: string): Buffer => hashOf(plainCode(code));

/** Encryption context of a second factor. */
export const secondFactorOwner = ({ account_id, agent_id }: AgentKey): string =>
  `second factor ${account_id} ${agent_id}`;

interface SecondFactorDeps {
  readonly vault: () => Promise<Vault>;
  readonly ports: Pick<Ports, "now" | "random">;
}

/** Codes of authenticator apps (RFC 6238) and recovery codes. */
export function createSecondFactor({ vault, ports: { now, random } }: SecondFactorDeps) {
  const totpOf = (secret: Secret, { account, email }: Pick<CredentialsRow, "account" | "email">): TOTP =>
    new TOTP({ issuer: `Parley (${account})`, label: email, secret, ...TOTP_PARAMETERS });

  /** -> the time step of a right code; undefined for a wrong code */
  const stepOf = async (sealed: string, agent: CredentialsRow, code: string): Promise<number | undefined> => {
    const totp = totpOf(Secret.fromBase32((await vault()).open(secondFactorOwner(agent), sealed)), agent);
    const timestamp = now().getTime();
    const delta = totp.validate({ token: plainCode(code), timestamp, window: WINDOW });
    return delta === null ? undefined : Math.floor(timestamp / 1_000 / TOTP_PARAMETERS.period) + delta;
  };

  return {
    /** A secret that a code must confirm. @shape sealed: encrypted */
    async begin(agent: CredentialsRow) {
      const secret = new Secret({ buffer: new Uint8Array(random(SECRET_BYTES)).buffer });
      const uri = totpOf(secret, agent).toString();
      return {
        secret: secret.base32,
        uri,
        qrCode: renderSVG(uri, { border: 2 }),
        sealed: (await vault()).seal(secondFactorOwner(agent), secret.base32),
      };
    },
    stepOf,
    /** @shape hashes: as stored */
    newRecoveryCodes() {
      const codes = Array.from({ length: RECOVERY_CODES }, () => recoveryCode(random(RECOVERY_BYTES)));
      return { codes, hashes: codes.map(recoveryHash) };
    },
    /** Uses a code of the app or a recovery code, each of which is accepted once. -> the kind of code; undefined for a wrong code */
    async use(db: Db, agent: CredentialsRow, code: string): Promise<"app" | "recovery" | undefined> {
      if (agent.totp_secret === null) return undefined;
      const store = credentialStore(db);
      if (/^\d{6}$/.test(plainCode(code))) {
        const step = await stepOf(agent.totp_secret, agent, code);
        return step !== undefined && (await store.useStep(agent, step)) ? "app" : undefined;
      }
      return (await store.useRecovery(agent, recoveryHash(code))) ? "recovery" : undefined;
    },
  };
}
export type SecondFactor = ReturnType<typeof createSecondFactor>;
