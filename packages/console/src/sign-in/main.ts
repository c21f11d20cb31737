import "@parley/contract/colors.css";
import "../ui/tokens.css";
import "./sign-in.css";
import { PROFILE_PATH, SIGN_IN_PATH } from "./contract-values.ts";
import { metaOf } from "./dom.ts";
import { handOverPage } from "./navigation.ts";
import { signInPage } from "./sign-in-page.ts";

/** Scripts of other pages than the first are loaded when they are needed. */
const PAGES: Readonly<Record<string, () => unknown>> = {
  [SIGN_IN_PATH]: signInPage,
  [`${SIGN_IN_PATH}/forgot`]: async () => (await import("./forgot-page.ts")).forgotPage(),
  [`${SIGN_IN_PATH}/password`]: async () => (await import("./password-page.ts")).passwordPage(),
  [PROFILE_PATH]: async () => (await import("./profile-page.ts")).profilePage(),
};

/** The service writes it into the page that ends a sign-in by a link or an identity provider, whatever the address. */
const token = metaOf("session-token");
if (token === "") PAGES[location.pathname]?.();
else handOverPage(token);
