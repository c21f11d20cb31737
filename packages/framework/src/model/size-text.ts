export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** A size and the limit that it exceeds, as texts that differ: in bytes where rounded megabytes would be equal. */
export const sizeAndLimit = (bytes: number, most: number): { readonly size: string; readonly most: string } => {
  const rounded = { size: megabytes(bytes), most: megabytes(most) };
  if (rounded.size !== rounded.most) return rounded;
  return { size: `${bytes.toLocaleString("en-US")} bytes`, most: `${most.toLocaleString("en-US")} bytes` };
};
