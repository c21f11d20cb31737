import { AccountDocument } from "@parley/contract";
import { readDocument } from "../document.ts";

const NAMED = `an object with the account's name: {"name": "acme", …}`;

const refuse = (value: unknown): string | undefined => {
  const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined;
  return typeof name !== "string" || name === "" ? NAMED : undefined;
};

/** Reads the document of an account. What else it has to be is the service's to say: it names the place. @errors UsageFailure */
export const documentIn = async (file: string): Promise<AccountDocument> =>
  (await readDocument(file, AccountDocument, refuse)) as AccountDocument;
