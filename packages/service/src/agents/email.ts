import { INVALID_VALUE, refuse } from "@parley/contract";

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
