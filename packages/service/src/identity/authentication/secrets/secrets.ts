import { createHash } from "node:crypto";
import type { Ports } from "../../../base/environment/ports.ts";

/** Random bytes of a secret. */
const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Creates the secret of a session or a link. */
export const newSecret = (random: Ports["random"]): string => random(SECRET_BYTES).toString("base64url");

/** Whether a text has the format of such a secret. Other texts need no lookup. */
export const isSecretShaped = (text: string): boolean => SECRET.test(text);

/** The stored form of a secret. A plain hash is sufficient, since the secret is fully random. */
export const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();
