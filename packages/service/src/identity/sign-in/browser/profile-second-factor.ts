import type { Session } from "@parley/contract";
import type { IdentityRequestError } from "./identity-request.ts";
import { requestOwn } from "./own-request.ts";
import { partOf, showText } from "./page-elements.ts";
import { pageForm } from "./page-form.ts";
import { recoveryCodes } from "./recovery-codes.ts";

interface FactorSecret {
  readonly secret: string;
  readonly uri: string;
  readonly qr_code: string;
}
interface NewCodes {
  readonly recovery_codes: readonly string[];
}

/**
 * States of the section:
 * - off -> pending: the agent asked for a secret;
 * - pending -> codes: the first code was right; -> off: cancelled;
 * - codes -> on: the agent has kept the recovery codes;
 * - on -> codes: new recovery codes; -> off: removed.
 */
type FactorState = "off" | "pending" | "codes" | "on";
const STATES: readonly FactorState[] = ["off", "pending", "codes", "on"];

const wrongCode =
  (id: string) =>
  ({ status }: IdentityRequestError): string | undefined =>
    status === "WRONG_CODE" ? id : undefined;

/** The section of the second factor. @returns shows the state of a session */
export const secondFactorSection = (changed: () => Promise<void>): ((session: Session) => void) => {
  const title = partOf("#second-factor-title");
  const notice = partOf("[data-factor-notice]");
  let session: Session | undefined;
  let state: FactorState = "off";
  const setState = (next: FactorState) => {
    state = next;
    for (const each of STATES) partOf(`[data-factor="${each}"]`).hidden = each !== next;
  };
  const leave = async (text: string) => {
    setState(session?.has_second_factor ? "on" : "off");
    showText(notice, text);
    title.focus();
    await changed();
  };
  const showCodes = recoveryCodes(() => void leave(""));
  const enterCodes = ({ recovery_codes: codes }: NewCodes) => {
    setState("codes");
    showCodes(codes, session?.account ?? "");
  };
  /** Another tab or an admin changed the factor. */
  const refused = ({ status }: IdentityRequestError): boolean => {
    if (status !== "SECOND_FACTOR_STATE") return false;
    void leave("The second factor was changed elsewhere meanwhile.");
    return true;
  };

  const begin = pageForm("begin-factor", {
    required: { "factor-password": "Enter your current password." },
    async send({ "factor-password": current = "" }) {
      const body = session?.has_password ? { current_password: current } : {};
      const { secret, uri, qr_code } = await requestOwn<FactorSecret>("POST", "/identity/second-factor", body);
      begin.clear();
      showText(notice, "");
      partOf<HTMLImageElement>("[data-qr]").src = `data:image/svg+xml,${encodeURIComponent(qr_code)}`;
      partOf("[data-factor-secret]").textContent = (secret.match(/.{1,4}/g) ?? []).join(" ");
      partOf<HTMLAnchorElement>("[data-factor-uri]").href = uri;
      setState("pending");
      confirm.clear();
      confirm.input("factor-code").focus();
    },
    fieldOf: ({ status }) => (status === "SIGN_IN_FAILED" && session?.has_password ? "factor-password" : undefined),
    refused,
  });
  const confirm = pageForm("confirm-factor", {
    required: { "factor-code": "Enter the code." },
    async send({ "factor-code": code = "" }) {
      const codes = await requestOwn<NewCodes>("PUT", "/identity/second-factor", { code });
      clearSecret();
      enterCodes(codes);
    },
    fieldOf: wrongCode("factor-code"),
    refused,
  });
  const clearSecret = () => {
    confirm.clear();
    partOf<HTMLImageElement>("[data-qr]").removeAttribute("src");
    partOf("[data-factor-secret]").textContent = "";
    partOf("[data-factor-uri]").removeAttribute("href");
  };
  partOf("[data-cancel-factor]").addEventListener("click", () => {
    clearSecret();
    void leave("");
  });
  const renew = pageForm("renew-codes", {
    required: { "renew-code": "Enter a code." },
    async send({ "renew-code": code = "" }) {
      const codes = await requestOwn<NewCodes>("POST", "/identity/recovery-codes", { code });
      showText(notice, "");
      renew.clear();
      enterCodes(codes);
    },
    fieldOf: wrongCode("renew-code"),
    refused,
  });
  const remove = pageForm("remove-factor", {
    required: { "remove-code": "Enter a code." },
    async send({ "remove-code": code = "" }) {
      await requestOwn("POST", "/identity/second-factor/removal", { code });
      remove.clear();
      if (session) session = { ...session, has_second_factor: false };
      await leave("The second factor was removed.");
    },
    fieldOf: wrongCode("remove-code"),
    refused,
  });

  return (next) => {
    session = next;
    const left = next.recovery_codes_left;
    partOf("[data-codes-left]").textContent =
      left === 1 ? "One recovery code is left." : `${left === 0 ? "No" : left} recovery codes are left.`;
    // A set-up or a removal that the agent has begun stays open: only a state at rest follows the session.
    if (state === "off" || state === "on") setState(next.has_second_factor ? "on" : "off");
  };
};
