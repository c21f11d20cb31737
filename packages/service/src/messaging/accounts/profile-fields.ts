import { type Avatar, INVALID_VALUE, refuse } from "@parley/contract";
import { isTimeZone } from "@parley/contract/display";
import { unsafeUrlReason } from "../../http/safe-url.ts";

/** @units characters */
const EMAIL_LENGTH_MAX = 254;
const ADDRESS = /^[^\s@\p{C}]+@[^\s@\p{C}.]+(?:\.[^\s@\p{C}.]+)*$/u;

/**
 * @errors INVALID_VALUE
 * @assumed An e-mail address is text on both sides of one @, without spaces and control characters, of 254 characters at
 * the most.
 */
export const checkEmail = (email: string): void => {
  if (email.length > EMAIL_LENGTH_MAX || !ADDRESS.test(email))
    refuse(
      INVALID_VALUE,
      `email must be an address such as ana@example.com, of at most ${EMAIL_LENGTH_MAX} characters`,
    );
};

/** Profile members of a request for a user or an agent. */
interface Profile {
  readonly email?: string | undefined;
  readonly avatar?: Avatar | undefined;
  readonly timezone?: string | undefined;
}

/**
 * Validates the members of a request that differ from the stored members.
 * @errors INVALID_VALUE
 * @assumed An empty string means that there is no value.
 */
export const checkProfileFields = ({ email, avatar, timezone }: Profile, present: Profile = {}): void => {
  if (email && email !== present.email) checkEmail(email);
  if (timezone && timezone !== present.timezone && !isTimeZone(timezone))
    refuse(INVALID_VALUE, "timezone must be a name of the IANA database, such as Europe/Berlin");
  const url = avatar?.url;
  const fault = url === undefined || url === present.avatar?.url ? undefined : unsafeUrlReason(url, "image");
  if (fault !== undefined) refuse(INVALID_VALUE, `avatar.url ${fault}`);
};
