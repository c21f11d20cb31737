import { fields } from "@parley/contract";
import { slice } from "../http/slice.ts";
import type { FieldStore } from "./store.ts";

export const fieldSlice = (deps: { readonly fields: Pick<FieldStore, "list"> }) =>
  slice(fields, {
    async listFields({ caller }) {
      return deps.fields.list(caller.account.id);
    },
  });
