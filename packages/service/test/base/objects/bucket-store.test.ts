import { startS3rver } from "./bucket-fixture.ts";
import { describeObjectStore } from "./object-store-contract.ts";

describeObjectStore({ title: "a folder", start: async () => undefined });
describeObjectStore({ title: "a bucket of s3rver", start: startS3rver });
