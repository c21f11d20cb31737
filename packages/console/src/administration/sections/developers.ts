/** The pages of the section For developers, which load together. */
export { TokensPage } from "../tokens/tokens-page.tsx";
export { WebhooksPage } from "../webhooks/webhooks-page.tsx";
export { DeliveriesPage } from "../deliveries/deliveries-page.tsx";
