/** Files that browsers get. The source and the bundle lie equally deep below the package. */
export const ASSETS = new URL("../assets/", import.meta.url);
