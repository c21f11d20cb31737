import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../packages/framework/test/front/front-fixture.ts";

/** Runs in the page. -> what scrolls that must not: the document, and anything sideways but a table of figures that the keyboard reaches */
const wrongScrolls = (): string[] => {
  const { documentElement: root } = document;
  const scrolls = (element: Element): boolean => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const mayScroll = (element: Element): boolean =>
    element.matches("[role=region][tabindex]") && element.querySelector("table") !== null;
  const wide = [...document.querySelectorAll("body *:not(input, textarea)")].filter(
    (element) => scrolls(element) && element.scrollWidth > element.clientWidth && !mayScroll(element),
  );
  return [
    ...(root.scrollWidth > innerWidth || root.scrollHeight > innerHeight ? ["the document scrolls"] : []),
    ...wide.map((element) => `${element.tagName} ${element.className} scrolls sideways`),
  ];
};

/** Runs in the page. -> elements that leave their dialog, or the window, at its left or right side */
const cutElements = (): string[] => {
  const dialog = [...document.querySelectorAll("[role=dialog], [role=alertdialog]")].at(-1);
  const { left, right } = dialog?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
  /** What only screen readers get is in a box of a pixel; tables of figures scroll; what is hidden has no box. */
  const isShown = (element: Element): boolean => {
    if (element.matches("[role=region][tabindex], [aria-hidden=true]")) return false;
    const { width } = element.getBoundingClientRect();
    return !(width > 0 && width <= 1) && (element.parentElement === null || isShown(element.parentElement));
  };
  return [...(dialog ?? document.body).querySelectorAll("*")]
    .filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 1 && (box.left < left - 1 || box.right > right + 1) && isShown(element);
    })
    .map((element) => `${element.tagName} ${element.textContent} is cut off`);
};

/** -> accessibility violations of a page of the administration, elements that must not scroll, and elements that are cut off */
export const adminPageFaults = async (page: Page): Promise<unknown[]> => [
  ...(await accessibilityViolations(page)),
  ...(await page.evaluate(wrongScrolls)),
  ...(await page.evaluate(cutElements)),
];
