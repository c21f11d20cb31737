import { describeAccessibility } from "./console-accessibility.ts";
import { describeAdminAccessibility } from "./console-admin-accessibility.ts";
import { ADMIN_PAGES } from "./console-admin-states.ts";

/** Every page in the two most different forms; the campaigns have all of them, and the dialogs of the administration. */
describeAccessibility(["1440 x 900, light", "360 x 740, dark"]);
describeAdminAccessibility({ "1440 x 900, light": ADMIN_PAGES, "360 x 740, dark": ADMIN_PAGES });
