import { AUDIT_ACTIONS } from "@parley/contract";

/** Values of the contract for the page of the audit log. Evaluated like `../../contract-values.ts`. */
export const AUDIT_VALUES = { actions: AUDIT_ACTIONS } as const;
