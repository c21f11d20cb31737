/** Style sheet of the demo shop. */
export const SHOP_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #faf9f6;
  --card: #ffffff;
  --picture: #eef0ea;
  --text: #23292a;
  --muted: #5b6463;
  --edge: #dfe2dc;
  --accent: #2f5d50;
  --on-accent: #ffffff;
  --moss: #6f8f72;
  --sea: #5e8aa0;
  --clay: #c08a62;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #171b1b;
    --card: #1f2524;
    --picture: #28302e;
    --text: #e8ebe8;
    --muted: #a3adaa;
    --edge: #343c3a;
    --accent: #9cc7b4;
    --on-accent: #10211b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 16px/1.5 system-ui, sans-serif;
}
header, main, footer { max-width: 1080px; margin: 0 auto; padding: 0 24px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 8px 32px; padding-block: 24px; }
.brand { font-size: 1.25rem; font-weight: 650; letter-spacing: -0.01em; }
.place { color: var(--muted); }
.intro { padding-block: 32px 40px; }
h1 { margin: 0 0 12px; font-size: clamp(1.75rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -0.02em; }
.intro p { margin: 0; max-width: 40rem; color: var(--muted); font-size: 1.0625rem; }
.products {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(280px, 100%), 1fr));
  gap: 24px;
  margin: 0;
  padding: 0;
  list-style: none;
}
.product {
  display: flex;
  flex-direction: column;
  overflow: hidden;
  border: 1px solid var(--edge);
  border-radius: 12px;
  background: var(--card);
}
.product svg { display: block; width: 100%; background: var(--picture); }
.details { display: grid; grid-template-columns: 1fr auto; gap: 4px 16px; padding: 16px; }
h2 { margin: 0; font-size: 1.0625rem; }
.price { font-variant-numeric: tabular-nums; }
.details p { grid-column: 1 / -1; margin: 0; color: var(--muted); font-size: 0.9375rem; }
button {
  margin: auto 16px 16px;
  min-height: 44px;
  border: 1px solid var(--accent);
  border-radius: 8px;
  background: transparent;
  color: var(--accent);
  font: inherit;
  cursor: pointer;
}
button:hover { background: var(--accent); color: var(--on-accent); }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
footer { padding-block: 48px 96px; color: var(--muted); font-size: 0.9375rem; }
footer p { margin: 0 0 8px; max-width: 44rem; }
a { color: var(--accent); }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
.moss { fill: var(--moss); }
.sea { fill: var(--sea); }
.clay { fill: var(--clay); }
.light { fill: #ffffff; opacity: 0.55; }
.shade { fill: #1b2a26; opacity: 0.22; }
.line { fill: none; stroke: #1b2a26; stroke-opacity: 0.45; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
@media (prefers-color-scheme: dark) { .line { stroke: #ffffff; } }
@media (forced-colors: active) { .product { border-color: CanvasText; } }
`;
