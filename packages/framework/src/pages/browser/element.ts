/** The one element that the page's own markup holds there; its absence is a fault of ours. */
export const element = <E extends Element>(root: ParentNode, selector: string): E => {
  const found = root.querySelector<E>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};
