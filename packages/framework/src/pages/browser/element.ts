/** The element of the page's own markup that matches. @errors Error when there is none: a defect */
export const element = <E extends Element>(root: ParentNode, selector: string): E => {
  const found = root.querySelector<E>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};
