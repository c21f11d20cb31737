/** Which pages of the administration are pictured, and in which state. */
import { savePicture, WIDE } from "./pictured-instance.mjs";

const DARK = { ...WIDE, colorScheme: "dark" };
const NARROW = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, colorScheme: "dark" };

/** Opens a page, waits for a text, lets `act` bring it into its state, and saves it. */
const picture = async (instance, { name, path, text, act, options = WIDE }) => {
  const page = await instance.open(`/console/admin${path}`, options);
  await page.getByText(text, { exact: true }).first().waitFor();
  await act?.(page);
  // Pictures of apps follow, and pressed elements are drawn without delay.
  await page.waitForTimeout(800);
  await savePicture(page, name);
  await page.context().close();
};

/** The overview, while there is something left to do. */
export const pictureFirstDay = (instance) =>
  picture(instance, { name: "admin-overview", path: "", text: "The first day" });

/** The pages with the entries of the story. */
export const pictureAdministration = async (instance, { webhookId }) => {
  const pictures = [
    { name: "admin-topics", path: "/topics", text: "Welcome message" },
    { name: "admin-messenger", path: "/messenger", text: "On your site" },
    {
      ...{ name: "admin-messenger-look", path: "/messenger", text: "Appearance" },
      async act(page) {
        await page.getByRole("textbox", { name: "Brand colour", exact: true }).fill("#14532d");
        await page.getByRole("textbox", { name: "Heading" }).first().fill("Ask us about bicycles");
        await page.frameLocator("iframe").getByText("Ask us about bicycles").waitFor();
        await page.locator("#look").evaluate((heading) => heading.scrollIntoView());
      },
    },
    { name: "admin-agents", path: "/agents", text: "Capacity" },
    { name: "admin-groups", path: "/groups", text: "By load" },
    {
      ...{ name: "admin-app", path: "/apps/concierge", text: "Calls" },
      act: (page) => page.getByRole("table", { name: "Calls" }).getByText("Succeeded").first().waitFor(),
    },
    {
      ...{ name: "admin-reports-dark", path: "/reports?span=30", text: "Conversations", options: DARK },
      act: (page) => page.getByRole("slider").nth(1).waitFor(),
    },
    {
      ...{ name: "admin-token", path: "/tokens", text: "Last used" },
      async act(page) {
        await page.getByRole("button", { name: "Generate token" }).click();
        await page.getByRole("textbox", { name: "Name" }).fill("Parcel tracking");
        await page.getByRole("dialog").getByRole("button", { name: "Reading only" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Generate token" }).click();
        await page.getByText("The token is generated").waitFor();
      },
    },
    {
      ...{ name: "admin-delivery", path: `/webhooks/${webhookId}`, text: "Deliveries" },
      // Request and response together are long.
      options: { viewport: { width: 1_100, height: 1_500 } },
      async act(page) {
        const failed = page.getByRole("row").filter({ hasText: "Failed" }).last();
        await failed.getByRole("button", { name: /^Details/ }).click();
        await page.getByRole("dialog").getByRole("region", { name: "Response" }).scrollIntoViewIfNeeded();
      },
    },
    { name: "admin-audit-log", path: "/audit-log", text: "Until day" },
    { name: "admin-webhooks-narrow", path: "/webhooks", text: "Signing keys", options: NARROW },
  ];
  for (const each of pictures) await picture(instance, each);
};
