/** As file systems have it. @units characters */
const LONGEST = 255;

/**
 * Makes a name out of what the sender says: the last step of a path, without what can't be seen or could mislead who saves it.
 * @assumed A name that has nothing left is `file`; a longer one keeps its ending.
 */
export const fileNameOf = (said: string): string => {
  const last = Buffer.from(said).toString().split(/[\\/]/).at(-1) ?? "";
  // Control characters, and those that turn the direction of reading around: `gpj.exe` must not look like `exe.jpg`.
  const seen = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, "").trim();
  const name = /^\.*$/.test(seen) ? "file" : seen;
  if (name.length <= LONGEST) return name;
  const ending = /\.[^.]{1,20}$/.exec(name)?.[0] ?? "";
  return Buffer.from(name.slice(0, LONGEST - ending.length) + ending)
    .toString()
    .replaceAll("\ufffd", "");
};

/** @assumed What is no media type is `application/octet-stream`. */
export const mediaTypeOf = (said: string): string =>
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(said) ? said.toLowerCase() : "application/octet-stream";
