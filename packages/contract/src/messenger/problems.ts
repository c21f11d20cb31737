import { problem } from "../kernel/problem.ts";

/** The host and the alias name no account. */
export const MESSENGER_NOT_FOUND = problem({
  code: 404,
  status: "MESSENGER_NOT_FOUND",
  message: "This service has no account with that alias.",
  remedy: "Load the script from the account's own host, or add the token of the page as an alias of the account.",
});

/** @errors of the configuration and of new sessions, for a page whose origin the account does not list */
export const ORIGIN_NOT_ALLOWED = problem({
  code: 403,
  status: "ORIGIN_NOT_ALLOWED",
  message: "The account's list of origins does not contain the origin of this page.",
  remedy:
    "Add the origin under Web messenger in the administration of the account, or remove all origins from the list.",
});

/** Equal for an unknown external_id and a wrong restore_id. */
export const RESTORE_REFUSED = problem({
  code: 403,
  status: "RESTORE_REFUSED",
  message: "external_id and restore_id name no user of this account.",
  remedy: "Send the restore_id that the event user:created reported for this external_id.",
});

export const VISITOR_BLOCKED = problem({
  code: 403,
  status: "VISITOR_BLOCKED",
  message: "An agent has blocked this visitor.",
  remedy: "Only an agent of the account can end the block.",
});

export const UPLOAD_QUOTA_EXCEEDED = problem({
  code: 429,
  status: "UPLOAD_QUOTA_EXCEEDED",
  message: "The uploads of this visitor or of this account have reached their limit for the day.",
  remedy: "Wait until the next day in UTC.",
});

export const NO_SIGNING_KEY = problem({
  code: 401,
  status: "NO_SIGNING_KEY",
  message: "This account has no key for signed identities.",
  remedy: "Add a key under Web messenger in the administration of the account.",
});

export const SIGNED_TOKEN_REFUSED = problem({
  code: 401,
  status: "SIGNED_TOKEN_REFUSED",
  message: "The signed token of the visitor was refused.",
  remedy: "Sign a new token with a key of the account, for the UUID of this browser and a time that is not over.",
});

export const SIGNING_KEY_NOT_FOUND = problem({
  code: 404,
  status: "SIGNING_KEY_NOT_FOUND",
  message: "signing key not found",
});

/** The account requires signed identities, which takes a key. */
export const SIGNING_KEY_NEEDED = problem({
  code: 409,
  status: "SIGNING_KEY_NEEDED",
  message: "Signed identities can't be required without a key that checks them.",
  remedy: "Add a key first, or stop requiring signed identities before the last key is removed.",
});
