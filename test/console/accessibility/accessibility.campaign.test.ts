import { describeAccessibility } from "./accessibility.ts";

/** Every page in every form that the quick test leaves out. */
describeAccessibility(["1440 x 900, dark", "360 x 740, light", "zoomed to 200 %", "forced colours"]);
