/** Globals of a browser that modules of the panel use. Import it before them. */
const globals = { navigator: {}, addEventListener: () => undefined, removeEventListener: () => undefined };
// Some versions of Node have a navigator that can't be assigned to.
for (const [name, value] of Object.entries(globals))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
