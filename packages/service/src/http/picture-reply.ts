/** A picture in place of JSON. */
export interface PictureReply {
  /** As its first bytes indicate. */
  readonly contentType: string;
  readonly content: Buffer;
}

/** A picture comes from a host that nobody vouches for: it is shown as the declared type only, to the agent's own pages only. */
export const PICTURE_HEADERS = {
  "cache-control": "private, max-age=3600",
  "content-disposition": "inline",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
