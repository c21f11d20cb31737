/** @errors Error for a page without the element */
export const partOf = <E extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): E => {
  const found = within.querySelector<E>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};

/** Shows a text in an element that is hidden without a text. */
export const showText = (element: HTMLElement, text: string): void => {
  element.textContent = text;
  element.hidden = text === "";
};

/** Adds the buttons that show and hide passwords. */
export const addRevealButtons = (): void => {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-reveal]")) {
    const input = partOf<HTMLInputElement>(`[id="${button.dataset["reveal"] ?? ""}"]`);
    const label = (button.getAttribute("aria-label") ?? "").replace(/^Show /, "");
    const show = (isShown: boolean) => {
      input.type = isShown ? "text" : "password";
      button.textContent = isShown ? "Hide" : "Show";
      button.setAttribute("aria-label", `${isShown ? "Hide" : "Show"} ${label}`);
    };
    button.addEventListener("click", () => show(input.type === "password"));
    // Password managers recognise a password by the type of its field.
    input.form?.addEventListener("submit", () => show(false));
  }
};

/** Names the agent to password managers, in every form with a password. A reset of a form keeps the name. */
export const fillUsernames = (email: string): void => {
  for (const field of document.querySelectorAll<HTMLInputElement>("input.unseen[autocomplete=username]"))
    field.defaultValue = email;
};

/** Address of a page with a query; empty values are left out. */
export const addressOf = (path: string, query: Readonly<Record<string, string | undefined>> = {}): string => {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries).toString()}`;
};

const pathOfBody = (name: "signIn" | "home"): string => document.body.dataset[name] ?? "/";
export const signInPath = (): string => pathOfBody("signIn");
/** Where a sign-in leads that names no page. */
export const homePath = (): string => pathOfBody("home");
