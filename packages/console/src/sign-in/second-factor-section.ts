import type { Session } from "@parley/contract";
import { h, notice, paragraph, showText } from "./dom.ts";
import { form, pushButton, submitButton, textField } from "./form.ts";
import { ownPasswordField } from "./password-fields.ts";
import type { IdentityRequestError } from "./request.ts";
import { requestOwn } from "./own-request.ts";
import { recoveryCodes } from "./recovery-codes.ts";
import { section, type ProfileSection } from "./profile-section.ts";

interface FactorSecret {
  readonly secret: string;
  readonly uri: string;
  readonly qr_code: string;
}
interface NewCodes {
  readonly recovery_codes: readonly string[];
}

const leftText = ({ recovery_codes_left: left }: Session): string =>
  left === 1 ? "One recovery code is left." : `${left === 0 ? "No" : left} recovery codes are left.`;

/**
 * The section of the second factor. Its states:
 * - off -> pending: the agent asked for a secret;
 * - pending -> codes: the first code was right; -> off: cancelled;
 * - codes -> on: the agent has kept the recovery codes;
 * - on -> codes: new recovery codes; -> off: removed.
 *
 * A state shows elements of its own: secrets are in the page only as long as they are shown.
 */
export const secondFactorSection = (changed: () => Promise<void>): ProfileSection => {
  const done = notice("good");
  const content = h("div", { className: "stack" });
  const own = section("second-factor", "Second factor", done, content);
  let session: Session | undefined;
  let state: "off" | "pending" | "codes" | "on" | undefined;
  const left = h("span");

  const setState = (next: NonNullable<typeof state>, ...shown: readonly HTMLElement[]): void => {
    state = next;
    content.replaceChildren(...shown);
  };
  const rest = (): void => (session?.has_second_factor ? setState("on", ...whenOn()) : setState("off", ...whenOff()));
  const leave = async (text: string): Promise<void> => {
    rest();
    showText(done, text);
    own.title.focus();
    await changed();
  };
  const showCodes = ({ recovery_codes: codes }: NewCodes): void => {
    const { element, title } = recoveryCodes(codes, session?.account ?? "", () => void leave(""));
    setState("codes", element);
    title.focus();
  };
  /** Another tab or an admin changed the factor. */
  const refused = ({ status }: IdentityRequestError): boolean => {
    if (status !== "SECOND_FACTOR_STATE") return false;
    void leave("The second factor was changed elsewhere meanwhile.");
    return true;
  };
  /** A form that proves the second factor by a code. */
  const codeForm = (
    id: string,
    label: string,
    button: HTMLElement,
    send: (code: string) => Promise<void>,
  ): HTMLElement => {
    const code = textField({ id, label, autocomplete: "one-time-code", missing: "Enter a code." });
    return form({
      fields: [code],
      content: [code.element, button],
      send: () => send(code.input.value),
      fieldOf: ({ status }) => status === "WRONG_CODE" && code,
      refused,
    }).element;
  };

  const whenOff = (): readonly HTMLElement[] => {
    const password = ownPasswordField("factor-password");
    if (session) password.show(session);
    const begin = form({
      fields: [password.field],
      content: [password.element, submitButton("Set up", "minor")],
      async send() {
        const body = session?.has_password ? { current_password: password.field.input.value } : {};
        const secret = await requestOwn<FactorSecret>("POST", "second-factor", body);
        showText(done, "");
        setState("pending", whenPending(secret));
        content.querySelector("input")?.focus();
      },
      fieldOf: ({ status }) => status === "SIGN_IN_FAILED" && session?.has_password && password.field,
      refused,
    });
    const lead = paragraph(
      "lead",
      "Off. With a second factor, signing in also needs a code that an authenticator app on your phone shows.",
    );
    return [lead, begin.element];
  };
  const whenPending = ({ secret, uri, qr_code }: FactorSecret): HTMLElement => {
    const buttons = h(
      "div",
      { className: "buttons" },
      submitButton("Turn on"),
      pushButton("Cancel", "minor", () => void leave("")),
    );
    const confirm = codeForm("factor-code", "Code", buttons, async (code) =>
      showCodes(await requestOwn<NewCodes>("PUT", "second-factor", { code })),
    );
    for (const input of confirm.querySelectorAll("input")) input.inputMode = "numeric";
    const link = h("a", { href: uri }, "open it in an app on this device");
    const image = h("img", {
      ...{ className: "qr", alt: "QR code with the secret for the authenticator app", width: 200, height: 200 },
      ...{ src: `data:image/svg+xml,${encodeURIComponent(qr_code)}`, "data-qr": "" },
    });
    const typed = h(
      "code",
      { className: "secret", "data-factor-secret": "" },
      (secret.match(/.{1,4}/g) ?? []).join(" "),
    );
    return h(
      "ol",
      { className: "steps" },
      h(
        "li",
        {},
        paragraph("", "Scan this code with an authenticator app, or ", link, "."),
        image,
        paragraph("", "Or type this secret into the app:"),
        paragraph("", typed),
      ),
      h("li", {}, paragraph("", "Enter the code that the app shows."), confirm),
    );
  };
  const whenOn = (): readonly HTMLElement[] => {
    const label = "Code of the app, or a recovery code";
    const renew = codeForm("renew-code", label, submitButton("Get new codes", "minor"), async (code) => {
      const codes = await requestOwn<NewCodes>("POST", "recovery-codes", { code });
      showText(done, "");
      showCodes(codes);
    });
    const remove = codeForm("remove-code", label, submitButton("Remove", "minor danger"), async (code) => {
      await requestOwn("POST", "second-factor/removal", { code });
      if (session) session = { ...session, has_second_factor: false };
      await leave("The second factor was removed.");
    });
    const details = (summary: string, text: string, element: HTMLElement): HTMLElement =>
      h("details", {}, h("summary", {}, summary), paragraph("lead", text), element);
    return [
      paragraph("lead", "On. ", left),
      details("New recovery codes", "The earlier codes become invalid.", renew),
      details("Remove the second factor", "Signing in then needs the password only.", remove),
    ];
  };

  return {
    element: own.element,
    show(next) {
      const isSame =
        session?.has_second_factor === next.has_second_factor && session.has_password === next.has_password;
      session = next;
      left.textContent = leftText(next);
      // A set-up or a removal that the agent has begun stays open: only a state at rest follows the session.
      if (state === undefined || (!isSame && (state === "off" || state === "on"))) rest();
    },
  };
};
