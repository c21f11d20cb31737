import type { FrameLocator, Page } from "playwright-core";

/** The frame of the messenger in the page of a site. */
export const panelOf = (page: Page): FrameLocator => page.frameLocator("#fc_widget");

/** Presses the button of the messenger. -> its panel */
export const openPanel = async (page: Page): Promise<FrameLocator> => {
  await page.locator("#fc_frame button").first().click();
  return panelOf(page);
};

/** Field for the message. */
export const fieldOf = (panel: FrameLocator) => panel.getByRole("textbox", { name: "Message", exact: true });

/** Writes as a customer: begins a conversation of a topic unless a thread is open. */
export const write = async (panel: FrameLocator, text: string, topic = "Inbox"): Promise<void> => {
  const field = fieldOf(panel);
  const choice = panel.getByRole("button", { name: new RegExp(`^${topic}\\b`) });
  await field.or(choice).first().waitFor();
  if (!(await field.isVisible())) await choice.first().click();
  await field.fill(text);
  await field.press("Enter");
  await panel.getByText(text).last().waitFor();
};
