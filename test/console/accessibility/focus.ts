import { expect } from "@jest/globals";
import type { CDPSession, Page } from "playwright-core";
import { eventually } from "../support/harness.ts";

/** Where the keyboard is, as assistive software knows it. */
interface Focus {
  readonly role: string;
  readonly name: string;
  /** The element is shown within the window. */
  readonly isVisible: boolean;
}

/** Uses a page without a mouse. */
export interface Keyboard {
  /** Presses keys one after another. */
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  focus(): Promise<Focus>;
  /** Waits until an element has the focus and is visible. @shape name: all of it, or a pattern */
  expectFocus(role: string, name: string | RegExp): Promise<void>;
  /** Presses Tab until an element has the focus. @shape key: `Shift+Tab` goes backwards @errors if it is not reached */
  tabTo(role: string, name: string | RegExp, key?: string): Promise<void>;
}

interface Node {
  readonly role?: { readonly value?: unknown };
  readonly name?: { readonly value?: unknown };
}

const roleAndName = ({ role, name }: Node = {}) => ({
  role: typeof role?.value === "string" ? role.value : "",
  name: typeof name?.value === "string" ? name.value.trim() : "",
});

/** More than the stops of any page. */
const TABS_MAX = 150;

const readFocus = async (page: Page, cdp: CDPSession): Promise<Focus> => {
  const { result } = await cdp.send("Runtime.evaluate", { expression: "document.activeElement ?? document.body" });
  const { nodes } = await cdp.send("Accessibility.getPartialAXTree", {
    objectId: result.objectId ?? "",
    fetchRelatives: false,
  });
  const isVisible = await page.evaluate(() => {
    const { activeElement } = document;
    if (!activeElement || activeElement === document.body || !activeElement.checkVisibility()) return false;
    const { left, right, top, bottom, width } = activeElement.getBoundingClientRect();
    return width > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  });
  return { ...roleAndName(nodes[0]), isVisible };
};

export const keyboardOf = async (page: Page): Promise<Keyboard> => {
  const cdp = await page.context().newCDPSession(page);
  const focus = (): Promise<Focus> => readFocus(page, cdp);
  const isAt = (present: Focus, role: string, name: string | RegExp): boolean =>
    present.role === role && (typeof name === "string" ? present.name === name : name.test(present.name));
  return {
    async press(...keys) {
      for (const key of keys) await page.keyboard.press(key);
    },
    type: (text) => page.keyboard.type(text),
    focus,
    expectFocus: (role, name) =>
      eventually(async () =>
        expect(await focus()).toEqual({
          role,
          name: typeof name === "string" ? name : expect.stringMatching(name),
          isVisible: true,
        }),
      ),
    async tabTo(role, name, key = "Tab") {
      const passed: string[] = [];
      for (let count = 0; count < TABS_MAX; count += 1) {
        await page.keyboard.press(key);
        const present = await focus();
        if (isAt(present, role, name)) return expect(present.isVisible).toBe(true);
        passed.push(`${present.role} ${present.name}`);
      }
      throw new Error(`${key} does not lead to ${role} ${name}, but to: ${[...new Set(passed)].join(", ")}`);
    },
  };
};
