import { createHash } from "node:crypto";

/** What the page may do: talk to its own host, and hold the frame of the callbacks. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join("; ");

const sealed = (script: string) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;

/** Only our script runs, and what it evaluates; nothing can be fetched. The sandbox takes the origin away. */
export const sandboxedFramePolicy = (script: string) =>
  [
    "default-src 'none'",
    `script-src ${sealed(script)} 'unsafe-eval'`,
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
  ].join("; ");

/** Text inside a script element, where only these two would be read as markup. */
export const inScript = (code: string) => code.replace(/<(?=\/script|!--)/gi, "\\x3C");

export const PAGE_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
};
