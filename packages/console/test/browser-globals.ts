/** What modules of the console expect of a browser when they are loaded. Import it before them. */
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"], userAgent: "test" }, configurable: true });
