import { client } from "../session/session.ts";

/** How long the browser may take to begin the download. @units milliseconds */
const KEPT_MS = 60_000;

const download = (file: Blob, name: string): void => {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
};

/** Downloads everything that is stored of a customer, a JSON object a line. @errors those of exportCustomer */
export const exportCustomer = async (id: string): Promise<void> => {
  const file = await client.customers.exportCustomer({ params: { user_id: id } });
  download(file, `customer-${id}.ndjson`);
};
