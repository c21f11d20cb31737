/** Answer to a request that the database can't serve now; nothing of it is done. The service then sends an event again without counting an attempt. */
export const DATABASE_UNAVAILABLE = {
  retryAfterSeconds: 1,
  message: "The database can't be used at present. Send the request again later.",
} as const;
