/** Stops the server of `global-setup.mjs`. */
export default async function teardown() {
  await globalThis.parleyTestServer?.stop();
}
