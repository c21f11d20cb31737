import { BRAND_COLOR, ON_BRAND_COLOR } from "./contract-values.ts";

/**
 * Styles of the messenger in the page. Values that sites change have the lowest specificity that still precedes rules for any `div`, so that a site's
 * class, or a rule for `#fc_frame`, moves and hides it. What a site's rules for all elements would break is marked as important.
 */
const FILLS_WINDOW = `#fc_frame.fc-open{inset:var(--fc-top,0) 0 auto!important;width:100%!important;height:var(--fc-height,100dvh)!important;max-width:none!important;max-height:none!important;border-radius:0!important;padding:env(safe-area-inset-top,0) env(safe-area-inset-right,0) env(safe-area-inset-bottom,0) env(safe-area-inset-left,0)!important}`;

export const PAGE_CSS = `\
div:where(#fc_frame){display:block;inset:auto var(--fc-side,20px) var(--fc-bottom,20px) auto;width:auto;height:auto;max-width:none;max-height:none;z-index:2147483000;color-scheme:light dark;background:0 0;border-radius:12px;box-shadow:none;opacity:1;transform:none;filter:none}\
div:where(#fc_frame.fc_l2r){inset:auto auto var(--fc-bottom,20px) var(--fc-side,20px)}\
div:where(#fc_frame.fc-open){width:var(--fc-panel_width,384px);height:min(var(--fc-panel_height,680px),100vh - 20px - var(--fc-bottom,20px));max-width:calc(100vw - 20px - var(--fc-side,20px));background:Canvas;box-shadow:0 4px 32px #0004}\
div:where(#fc_frame.fc_dn:not(.fc-open),#fc_frame.hide){display:none}\
#fc_frame{position:fixed!important;box-sizing:border-box!important;margin:0!important;padding:0!important;border:0!important;float:none!important;min-width:0!important;min-height:0!important;overflow:visible!important;transition:none!important;animation:none!important;zoom:1!important}\
#fc_frame>#fc_widget{all:unset!important;display:block!important;width:100%!important;height:100%!important;border-radius:inherit!important;color-scheme:light dark!important}\
#fc_frame:not(.fc-open)>#fc_widget{display:none!important}\
${FILLS_WINDOW.replace("#fc_frame", "#fc_frame.fc-widget-fullscreen")}\
@media (max-width:480px),(max-height:480px) and (pointer:coarse){${FILLS_WINDOW}:root:has(>body.fc-widget-open),body.fc-widget-open{overflow:hidden!important}}\
@media (prefers-reduced-motion:no-preference){#fc_frame.fc-open{animation:fc-in .15s ease-out!important}}\
@media print{#fc_frame{display:none!important}}\
@keyframes fc-in{from{opacity:0;translate:0 8px}}`;

/** Styles of the button, inside its shadow root, which the page's rules don't reach. The panel has its own button to close; the cross serves until then. */
export const BUTTON_CSS = `\
:host{all:initial!important;display:block!important;color-scheme:light dark!important}\
:host(.open){position:absolute!important;top:8px!important;right:8px!important;z-index:1!important}\
:host(.none){display:none!important}\
button{all:unset;box-sizing:border-box;position:relative;display:flex;align-items:center;height:1em;border:1px solid #0000;border-radius:99px;font-size:var(--fc-button,56px);cursor:pointer;background:var(--fc-color,${BRAND_COLOR});color:var(--fc-text_color,${ON_BRAND_COLOR});box-shadow:0 2px 12px #0005;-webkit-tap-highlight-color:#0000}\
button:focus-visible{outline:2px solid #fff;box-shadow:0 0 0 5px #111827}\
svg{flex:none;width:.5em;height:.5em;margin:0 calc(.25em - 1px);fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}\
:host(.open) button{font-size:32px;box-shadow:none}\
b{max-width:60vw;overflow:hidden;font:700 16px/18px system-ui,sans-serif;text-overflow:ellipsis;white-space:nowrap}\
b:not(:empty){margin-inline:-4px 20px}\
i{position:absolute;top:-4px;right:-4px;box-sizing:border-box;min-width:22px;padding:0 6px;border:2px solid #fff;border-radius:11px;background:#b91c1c;color:#fff;font:700 12px/18px system-ui,sans-serif;text-align:center}\
i:empty,:host(.open) :is(b,i){display:none}\
p{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}\
@media (prefers-color-scheme:dark){button{background:var(--fc-dark_color,var(--fc-color,${BRAND_COLOR}));color:var(--fc-dark_text_color,var(--fc-text_color,${ON_BRAND_COLOR}))}}\
@media (forced-colors:active){button,i{forced-color-adjust:none;background:ButtonFace;color:ButtonText;border-color:ButtonText}button:focus-visible{outline:3px solid Highlight}}`;

/** Adds a style sheet to a document or shadow root. A content policy admits constructed sheets; older browsers need the page's nonce. -> removes it */
export const addStyles = (root: Document | ShadowRoot, css: string, nonce: string | undefined): (() => void) => {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return () => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  } catch {
    const style = document.createElement("style");
    if (nonce !== undefined) style.nonce = nonce;
    style.textContent = css;
    (root instanceof Document ? root.head : root).append(style);
    return () => style.remove();
  }
};
