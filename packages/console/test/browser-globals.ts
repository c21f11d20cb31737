/** Globals of a browser that modules of the console expect when they are loaded. Import it before them. */
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"], userAgent: "test" }, configurable: true });
