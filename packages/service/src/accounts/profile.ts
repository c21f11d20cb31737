import { type Avatar, INVALID_VALUE, refuse } from "@parley/contract";
import { isTimeZone } from "../business-hours/zone.ts";
import { urlFault } from "../http/safe-url.ts";

/** Characters that a mailbox address has at the most. */
const LONGEST = 254;
const ADDRESS = /^[^\s@\p{C}]+@[^\s@\p{C}.]+(?:\.[^\s@\p{C}.]+)*$/u;

/**
 * @errors INVALID_VALUE
 * @assumed An e-mail address is text on both sides of one @, without spaces and control characters, of 254 characters at the most.
 */
export const checkEmail = (email: string): void => {
  if (email.length > LONGEST || !ADDRESS.test(email))
    refuse(INVALID_VALUE, `email must be an address such as ana@example.com, of at most ${LONGEST} characters`);
};

/** What callers give of a person, user or agent. */
interface Profile {
  readonly email?: string | undefined;
  readonly avatar?: Avatar | undefined;
  readonly timezone?: string | undefined;
}

/**
 * Checks what a request gives; what is stored stays as it is, also when it is sent again.
 * @errors INVALID_VALUE
 * @assumed An empty text says that there is none.
 */
export const checkProfile = ({ email, avatar, timezone }: Profile, present: Profile = {}): void => {
  if (email && email !== present.email) checkEmail(email);
  if (timezone && timezone !== present.timezone && !isTimeZone(timezone))
    refuse(INVALID_VALUE, "timezone must be a name of the IANA database, such as Europe/Berlin");
  const url = avatar?.url;
  const fault = url === undefined || url === present.avatar?.url ? undefined : urlFault(url, "image");
  if (fault !== undefined) refuse(INVALID_VALUE, `avatar.url ${fault}`);
};
