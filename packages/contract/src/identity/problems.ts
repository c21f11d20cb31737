import { problem } from "../kernel/problem.ts";

/** @assumed The same answer for an unknown address, an agent without a password and a wrong password. */
export const SIGN_IN_FAILED = problem({
  code: 401,
  status: "SIGN_IN_FAILED",
  message: "The e-mail address or the password is wrong.",
  remedy: "Check the account, the address and the password, or ask for a new password.",
});
export const TOO_MANY_SIGN_INS = problem({
  code: 429,
  status: "TOO_MANY_SIGN_INS",
  message: "Too many attempts to sign in failed. Retry after the time in the Retry-After header.",
  remedy: "Wait for as many seconds as the Retry-After header says, or reset the password.",
});
export const WRONG_CODE = problem({
  code: 401,
  status: "WRONG_CODE",
  message: "The code is wrong, expired or was used before.",
  remedy: "Enter the code that the authenticator app shows now, or a recovery code that was not used before.",
});
export const LINK_NOT_VALID = problem({
  code: 404,
  status: "LINK_NOT_VALID",
  message: "The link is unknown, expired or was used before.",
  remedy: "Ask for a new link.",
});
export const PASSWORD_NOT_ACCEPTED = problem({
  code: 400,
  status: "PASSWORD_NOT_ACCEPTED",
  message: "The password is not accepted.",
  remedy: "Choose a password as the message says.",
});
export const SECOND_FACTOR_STATE = problem({
  code: 409,
  status: "SECOND_FACTOR_STATE",
  message: "The second factor is already in this state.",
  remedy: "Read the session again: it says whether a second factor is set up.",
});
export const SESSION_NOT_FOUND = problem({ code: 404, status: "SESSION_NOT_FOUND", message: "session not found" });
export const IDENTITY_PROVIDER_NOT_FOUND = problem({
  code: 404,
  status: "IDENTITY_PROVIDER_NOT_FOUND",
  message: "identity provider not found",
});
