import type { Page } from "playwright-core";

/** Texts that run a script in a page that inserts them as HTML. The script sets `isAttacked` in the page's window. */
export const ATTACKS: Readonly<Record<string, string>> = {
  script: "<script>window.isAttacked = true</script>",
  "image that fails": '<img src="/none" onerror="window.isAttacked = true">',
  "drawing that loads": '<svg onload="window.isAttacked = true"></svg>',
  "frame with a document": '<iframe srcdoc="<script>parent.isAttacked = true</script>"></iframe>',
  "frame with an address": '<iframe src="javascript:parent.isAttacked = true"></iframe>',
  "field that takes the focus": '<input autofocus onfocus="window.isAttacked = true">',
  "details that open": '<details open ontoggle="window.isAttacked = true">',
  "end of an element and of an attribute": '"></div></script><img src=x onerror="window.isAttacked = true">',
};

/** Addresses that run a script where a page links to them. */
export const SCRIPT_ADDRESSES = [
  "javascript:window.isAttacked=true",
  " JaVaScRiPt:window.isAttacked=true",
  "java\nscript:window.isAttacked=true",
];

/** Elements that the attacks would create; the pages of the product have no such elements but the data of the messenger's panel. */
export const ATTACKING = "iframe, [onload], [onerror], [onfocus], [ontoggle], script:not([src], #configuration)";

/** Whether an attack has run in the page or in one of its frames. */
export const isAttacked = async (page: Page): Promise<boolean> => {
  const found = page.frames().map((frame) => frame.evaluate<boolean>("globalThis.isAttacked === true"));
  return (await Promise.all(found)).includes(true);
};
