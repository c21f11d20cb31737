import { INVALID_VALUE, refuse, type AccessToken, type NewAccessToken } from "@parley/contract";
import type { ListedToken } from "../tokens/store.ts";

/** The most that a token may be valid for. @units seconds */
const MOST = 10 * 365 * 24 * 60 * 60;

/**
 * How long a token that is asked for is to be valid; undefined: as long as is usual.
 * @units seconds
 * @errors INVALID_VALUE
 */
export const lifetimeOf = (
  { expires_in_seconds, expires_time }: Pick<NewAccessToken, "expires_in_seconds" | "expires_time">,
  now: Date,
): number | undefined => {
  if (expires_time === undefined) return expires_in_seconds;
  if (expires_in_seconds !== undefined)
    refuse(INVALID_VALUE, "expires_time and expires_in_seconds say the same in two ways: give one of them");
  const seconds = (Date.parse(expires_time) - now.getTime()) / 1000;
  if (!(seconds > 0)) refuse(INVALID_VALUE, "expires_time must lie in the future");
  if (seconds > MOST) refuse(INVALID_VALUE, "expires_time must lie within ten years");
  return seconds;
};

export const accessTokenOf = ({ permissions, revoked_time, ...token }: ListedToken): AccessToken => ({
  ...token,
  permissions: [...permissions],
  created_time: token.created_time.toISOString(),
  expires_time: token.expires_time.toISOString(),
  ...(revoked_time && { revoked_time: revoked_time.toISOString() }),
});
