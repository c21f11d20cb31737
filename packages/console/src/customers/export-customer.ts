import { client } from "../session/session.ts";
import { downloadFile } from "../ui/download.ts";

/** Downloads everything that is stored of a customer, a JSON object a line. @errors those of exportCustomer */
export const exportCustomer = async (id: string): Promise<void> => {
  const file = await client.customers.exportCustomer({ params: { user_id: id } });
  downloadFile(file, `customer-${id}.ndjson`);
};
