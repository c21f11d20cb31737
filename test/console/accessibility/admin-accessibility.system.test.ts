import { describeAdminAccessibility } from "./admin-accessibility.ts";
import { ADMIN_PAGES } from "./admin-states.ts";

/** Every page of the administration in the form with the least space; the campaigns have the other forms, and the dialogs. */
describeAdminAccessibility({ "360 x 740, dark": ADMIN_PAGES });
