import { h, metaOf, paragraph } from "./dom.ts";
import { textField, type Field } from "./form.ts";
import { lastAccount } from "../session/session-token.ts";

/** The account that the host names; "" at a host of all accounts. */
const hostAccount = metaOf("account");
/** The account of the host, or of the address; "" if neither names an account. */
export const chosenAccount =
  hostAccount || (new URLSearchParams(location.search).get("account") ?? "").trim().toLowerCase();

interface AccountField {
  readonly field: Field;
  /** What the page shows: the account of the host below its heading, or the field in its form. */
  readonly lead: HTMLElement | false;
  readonly element: HTMLElement | false;
  name(): string;
}

/** The field for the account, which begins with that of the last sign-in. The host of an account names it, and the form has no field. */
export const accountField = (): AccountField => {
  const field = textField({
    ...{ id: "account", label: "Account", autocomplete: "organization", missing: "Enter the name of the account." },
    hint: "The name of your company’s account, such as acme.",
  });
  field.input.value = chosenAccount || lastAccount();
  const isNamed = hostAccount !== "";
  return {
    field,
    lead: isNamed && paragraph("lead", "Account ", h("strong", {}, hostAccount)),
    element: !isNamed && field.element,
    name: () => field.input.value.trim().toLowerCase(),
  };
};
