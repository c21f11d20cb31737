import { INVALID_VALUE, refuse, type AccessToken, type NewAccessToken } from "@parley/contract";
import type { ListedToken } from "../tokens/store.ts";

/** The most that a token may be valid for. @units seconds */
const MOST = 10 * 365 * 24 * 60 * 60;

/** When a token that is asked for is to end; empty: when one usually does. @errors INVALID_VALUE */
export const endOf = (
  { expires_in_seconds, expires_time }: Pick<NewAccessToken, "expires_in_seconds" | "expires_time">,
  now: Date,
): { lifetimeSeconds?: number | undefined; expires?: Date } => {
  if (expires_time === undefined) return { lifetimeSeconds: expires_in_seconds };
  if (expires_in_seconds !== undefined)
    refuse(INVALID_VALUE, "expires_time and expires_in_seconds say the same in two ways: give one of them");
  const expires = new Date(expires_time);
  const seconds = (expires.getTime() - now.getTime()) / 1000;
  if (!(seconds > 0)) refuse(INVALID_VALUE, "expires_time must lie in the future");
  if (seconds > MOST) refuse(INVALID_VALUE, "expires_time must lie within ten years");
  return { expires };
};

export const accessTokenOf = ({ permissions, revoked_time, ...token }: ListedToken): AccessToken => ({
  ...token,
  permissions: [...permissions],
  created_time: token.created_time.toISOString(),
  expires_time: token.expires_time.toISOString(),
  ...(revoked_time && { revoked_time: revoked_time.toISOString() }),
});
