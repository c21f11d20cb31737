import { MESSENGER_SCRIPT } from "@parley/contract";
import { PRODUCTS, type Product } from "./products.ts";

/** Paths of the shop's own files. */
export const SHOP_PATHS = { page: "/", style: "/shop.css", script: "/shop.js" } as const;

/** The account whose messenger the shop shows, and where it is. */
export interface ShopMessenger {
  /** Origin of the service. */
  readonly serviceOrigin: string;
  readonly account: string;
}

/** The content policy of a site that embeds the messenger: all of it comes from the origin of the service. */
export const shopContentPolicy = ({ serviceOrigin }: ShopMessenger): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${serviceOrigin}`,
    "style-src 'self'",
    `connect-src ${serviceOrigin}`,
    `frame-src ${serviceOrigin}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Sets up the messenger, as the page of a site does. */
export const shopScript = ({ serviceOrigin }: ShopMessenger): string => `
window.fcWidget.init({ host: ${JSON.stringify(serviceOrigin)} });
for (const button of document.querySelectorAll("[data-product]"))
  button.addEventListener("click", () => {
    window.fcWidget.open({ name: "Sales", replyText: "I have a question about the " + button.dataset.product + ": " });
  });
`;

const productItem = ({ name, description, price, picture }: Product): string => `
      <li class="product">
        <svg viewBox="0 0 160 120" aria-hidden="true">${picture}
        </svg>
        <div class="details">
          <h2>${name}</h2>
          <span class="price">${price}</span>
          <p>${description}</p>
        </div>
        <button type="button" data-product="${name}" aria-label="Ask about the ${name}">Ask about it</button>
      </li>`;

export const shopPage = ({ serviceOrigin, account }: ShopMessenger): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <title>Acme Outdoor</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${SHOP_PATHS.style}">
  </head>
  <body>
    <header>
      <span class="brand">Acme Outdoor</span>
      <span class="place">Jackets, packs and a warm supper</span>
    </header>
    <main>
      <div class="intro">
        <h1>Few things, made for long walks.</h1>
        <p>Six products that we use ourselves. If you don't know which one you need, write to us: the button at the bottom of the page opens a conversation.</p>
      </div>
      <ul class="products">${PRODUCTS.map(productItem).join("")}
      </ul>
    </main>
    <footer>
      <p>This shop is a demonstration: it sells nothing. It shows the messenger of Parley as any web site embeds it.</p>
      <p>Agents answer in the <a href="${serviceOrigin}/console">console</a>.</p>
    </footer>
    <script src="${serviceOrigin}${MESSENGER_SCRIPT}?account=${account}"></script>
    <script src="${SHOP_PATHS.script}"></script>
  </body>
</html>
`;
