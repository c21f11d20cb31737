export { useServerOptions } from "./environment/heap.ts";
export { main } from "./main.ts";
