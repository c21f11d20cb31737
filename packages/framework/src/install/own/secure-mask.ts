/** Stands in a page of the app's own for a secure value that is kept; given back, it keeps that value. Plain, since pages encode it. */
export const SECURE_MASK = "********";
