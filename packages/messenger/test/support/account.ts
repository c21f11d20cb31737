import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MessengerSetting } from "@parley/contract";

/** Sets what an admin enters about the messenger of the demo account. @shape dataFolder: of the instance */
export const setMessenger = async (service: string, dataFolder: string, messenger: MessengerSetting): Promise<void> => {
  const key = (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();
  const response = await fetch(new URL("/admin/accounts/acme", service), {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messenger }),
  });
  if (!response.ok) throw new Error(`PUT /admin/accounts/acme: ${response.status} ${await response.text()}`);
};
