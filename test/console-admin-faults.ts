import type { Page } from "playwright-core";
import { accessibilityViolations } from "../packages/framework/test/front-fixture.ts";

/** Runs in the page. -> what scrolls that must not: the document, and anything sideways */
const wrongScrolls = (): string[] => {
  const { documentElement: root } = document;
  const scrolls = (element: Element): boolean => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const wide = [...document.querySelectorAll("body *:not(input, textarea)")].filter(
    (element) => scrolls(element) && element.scrollWidth > element.clientWidth,
  );
  return [
    ...(root.scrollWidth > innerWidth || root.scrollHeight > innerHeight ? ["the document scrolls"] : []),
    ...wide.map((element) => `${element.tagName} ${element.className} scrolls sideways`),
  ];
};

/** -> accessibility violations of what a page of the administration shows, and what scrolls that must not */
export const adminPageFaults = async (page: Page): Promise<unknown[]> => [
  ...(await accessibilityViolations(page)),
  ...(await page.evaluate(wrongScrolls)),
];
