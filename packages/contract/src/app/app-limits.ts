/**
 * Limits of an app's files and of the data that it stores. The limits of its processes and requests are settings of the host.
 * @units as in the name
 * @assumed The limits of other app hosts apply, except `appFileBytes`: the result of a framework's build must fit. 40 KB of a record are
 *   40 · 1024 bytes of the value's JSON text and the key.
 */
export const APP_LIMITS = {
  appFileBytes: 10 * 1024 * 1024,
  /** Of the archive. */
  packageBytes: 5 * 1024 * 1024,
  requestTemplates: 100,
  recordKeyCharacters: 60,
  /** Key and value together. */
  recordBytes: 40 * 1024,
  entities: 5,
  entityFields: 20,
  /** Of a record's fields as JSON. */
  entityRecordBytes: 100 * 1024,
  scheduleNameCharacters: 30,
  /** As JSON. */
  scheduleDataBytes: 4 * 1024,
  /** Values of `timeout` of a function in the manifest. Other hosts accept the last three. */
  functionSeconds: [5, 10, 15, 20, 25, 30] as readonly unknown[],
  jobSeconds: 120,
  runningJobs: 15,
  /** Of the message with which a set-up handler refuses. */
  refusalCharacters: 60,
} as const;
