import { describeAccessibility } from "./accessibility.ts";

/** Every page in the two most different forms; the campaign of this name has all. */
describeAccessibility(["1440 x 900, light", "360 x 740, dark"]);
