import Type, { type Static } from "typebox";

/** What an admin may allow the code of one app beyond the default, and how that stands. */

/** The subject of the consent by which handlers read secure parameters in `args.iparams`; any other subject is a host. */
export const SECURE_IPARAMS = "secure-iparams";

/**
 * `declared`: the manifest names the host, and nobody has decided. `asked`: the app called the host and was refused. `given`, `revoked`: what was
 * decided last.
 */
export type ConsentState = "declared" | "asked" | "given" | "revoked";

export interface Consent {
  /** `secure-iparams`, or a host that the app's own code may call: `api.example.com`, `api.example.com:8443`, `*.example.com`. */
  readonly subject: string;
  readonly state: ConsentState;
  /** When the state was reached; absent for `declared`. @units ISO 8601 */
  readonly time?: string;
  /** Given for the present run only, by an option of the start; not stored. */
  readonly isOfRun?: boolean;
}

/** A decision about one subject. */
export const ConsentChange = Type.Object(
  { subject: Type.String({ minLength: 1, maxLength: 300 }), isGiven: Type.Boolean() },
  { title: "ConsentChange" },
);
export type ConsentChange = Static<typeof ConsentChange>;
