/** Globals of a browser that modules of the panel use. Import it before them. */
Object.assign(globalThis, {
  navigator: {},
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
});
