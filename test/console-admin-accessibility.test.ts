import { describeAdminAccessibility } from "./console-admin-accessibility.ts";
import { ADMIN_PAGES } from "./console-admin-states.ts";

/** Every page of the administration in the two most different forms; the campaigns have all forms, and the dialogs. */
describeAdminAccessibility({ "1440 x 900, light": ADMIN_PAGES, "360 x 740, dark": ADMIN_PAGES });
