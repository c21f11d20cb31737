import { use, type ComponentProps } from "react";
import { Picture } from "../../pictures/picture.tsx";
import { PictureSourceContext } from "../../pictures/picture-source.ts";

/** A picture in a part of a message. */
export const PartPicture = (shown: Omit<ComponentProps<typeof Picture>, "source">) => (
  <Picture {...shown} source={use(PictureSourceContext)} />
);
