import { AppRefused } from "../../refused.ts";

export const NOT_FOUND = () => new AppRefused(404, "Record not found");
export const CONDITION_FAILED = () => new AppRefused(400, "The setIf conditional request failed");
export const invalid = (message: string) => new AppRefused(400, message);
