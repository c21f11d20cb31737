import type { Page } from "playwright-core";

/** Marks the page that runs it, and the pages around it. */
export const RUN = "globalThis.isAttacked = true; try { top.isAttacked = true; } catch {}";
/** Files that run where a browser shows them: their names, types and contents. */
export const PROGRAMS = {
  HTML: ["a.html", "text/html", `<!doctype html><script>${RUN}</script>`],
  XHTML: [
    "a.xhtml",
    "application/xhtml+xml",
    `<html xmlns="http://www.w3.org/1999/xhtml"><script>${RUN}</script></html>`,
  ],
  SVG: ["a.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script>${RUN}</script></svg>`],
  "HTML that is called a text": ["a.txt", "text/plain", `<!doctype html><script>${RUN}</script>`],
} as const;

/** Whether a program has run in a page. */
export const isAttacked = (page: Page) =>
  Promise.all(page.frames().map((frame) => frame.evaluate("globalThis.isAttacked === true").catch(() => false))).then(
    (found) => found.includes(true),
  );
