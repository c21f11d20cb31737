import Type, { type Static } from "typebox";

/** Permissions beyond the default that an admin can grant to the code of one app, and their states. */

/** Subject of the consent that lets handlers read secure parameters in `args.iparams`. Every other subject is a host. */
export const SECURE_IPARAMS = "secure-iparams";

/**
 * `declared`: the manifest names the host and no decision exists. `asked`: the app called the host and was refused. `given`, `revoked`:
 * the latest decision.
 */
export type ConsentState = "declared" | "asked" | "given" | "revoked";

export interface Consent {
  /** `secure-iparams`, or a host that the app's code may call: `api.example.com`, `api.example.com:8443`, `*.example.com`. */
  readonly subject: string;
  readonly state: ConsentState;
  /** Time of the transition to this state; absent for `declared`. @units ISO 8601 */
  readonly time?: string;
  /** Granted by a start option for the current run only; not stored. */
  readonly isOfRun?: boolean;
}

/** A decision about one subject. */
export const ConsentChange = Type.Object(
  { subject: Type.String({ minLength: 1, maxLength: 300 }), isGiven: Type.Boolean() },
  { title: "ConsentChange" },
);
export type ConsentChange = Static<typeof ConsentChange>;
