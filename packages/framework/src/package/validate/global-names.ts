import { SERVER_GLOBALS } from "@parley/contract";

const names = (text: string) => text.split(/\s+/).filter(Boolean);

/** Globals of scripts in pages. Names that begin with a capital letter are interfaces of the browser and are always accepted. */
export const PAGE_NAMES: readonly string[] = names(`
  window document navigator location history screen self parent top frames opener frameElement origin name status event length
  console performance crypto caches indexedDB localStorage sessionStorage cookieStore customElements speechSynthesis
  visualViewport trustedTypes isSecureContext crossOriginIsolated devicePixelRatio external scheduler navigation
  setTimeout setInterval clearTimeout clearInterval setImmediate queueMicrotask requestAnimationFrame cancelAnimationFrame
  requestIdleCallback cancelIdleCallback fetch fetchLater alert confirm prompt print open close stop focus blur find
  atob btoa structuredClone reportError postMessage addEventListener removeEventListener dispatchEvent createImageBitmap
  getComputedStyle getSelection matchMedia scroll scrollTo scrollBy moveTo moveBy resizeTo resizeBy scrollX scrollY
  pageXOffset pageYOffset innerWidth innerHeight outerWidth outerHeight screenX screenY screenLeft screenTop
  menubar toolbar statusbar scrollbars locationbar personalbar onerror onload onmessage onresize
  app frsh_init`);

/** Additional globals of callbacks on the installation page. */
export const CALLBACK_NAMES: readonly string[] = [...PAGE_NAMES, "utils", "client"];

/** Globals of server/: those of the framework and the remaining globals of Node. */
export const SERVER_NAMES: readonly string[] = [
  ...SERVER_GLOBALS,
  ...names(`
  require module exports __dirname __filename global process Buffer URL URLSearchParams TextEncoder TextDecoder
  AbortController AbortSignal Event EventTarget MessageChannel MessagePort BroadcastChannel Blob File FormData Headers Request
  Response ReadableStream WritableStream TransformStream CompressionStream DecompressionStream WebAssembly
  atob btoa structuredClone performance crypto Crypto CryptoKey SubtleCrypto queueMicrotask DOMException navigator
  setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate`),
];
