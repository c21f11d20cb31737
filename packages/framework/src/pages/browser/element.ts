/** The element of the page's own markup that matches. @errors Error without such an element: a defect */
export const element = <E extends Element>(root: ParentNode, selector: string): E => {
  const found = root.querySelector<E>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};

/** Enables the buttons that the page disables until its script handles them: a click before that would be lost. */
export const enableButtons = (root: ParentNode): void => {
  for (const button of root.querySelectorAll<HTMLButtonElement>("button[data-until-ready]")) {
    button.removeAttribute("data-until-ready");
    button.disabled = false;
  }
};
