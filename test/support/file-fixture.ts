import { afterAll, beforeAll } from "@jest/globals";

type Closable = { close(): unknown } | { stop(): unknown } | { end(): unknown } | { remove(): unknown };

const close = (fixture: Closable) => {
  if ("close" in fixture) return fixture.close();
  if ("stop" in fixture) return fixture.stop();
  return "end" in fixture ? fixture.end() : fixture.remove();
};

/** The opened fixtures of this test file. Each file loads its own instance of this module. */
const opened: Closable[] = [];
let isClosing = false;

/**
 * Opens what all tests of a file use before the first of them, and closes it after the last. Fixtures are opened in the order of the calls and
 * closed in the reverse order. Called outside of `describe`.
 * @returns stands for the fixture in hooks and tests; has no members while the file is loaded
 */
export function fileFixture<T extends Closable>(open: () => T | Promise<T>): T {
  let fixture: T | undefined;
  const present = (): T => {
    if (fixture === undefined)
      throw new Error("The fixture is opened before the first test: use it in hooks and tests.");
    return fixture;
  };
  beforeAll(async () => {
    fixture = await open();
    opened.push(fixture);
  });
  if (!isClosing)
    afterAll(async () => {
      for (const each of opened.reverse()) await close(each);
    });
  isClosing = true;
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(present(), name, present()),
    set: (_, name, value) => Reflect.set(present(), name, value),
    has: (_, name) => name in present(),
    ownKeys: () => Reflect.ownKeys(present()),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(present(), name);
      return found && { ...found, configurable: true };
    },
  });
}
