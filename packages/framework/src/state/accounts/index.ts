import { deleteAppDataOfAccount, deleteAppRemainderOfAccount, setAppAccountClosed } from "./account-data.sql.ts";
import { openAppImport } from "./import.sql.ts";
import { accountsWithAppRecords, exportAppRecords } from "./export.sql.ts";

/**
 * Actions of the service on the data of apps when an account is closed, deleted, exported or imported. Each function works on a database on which no
 * app has run.
 */
export const appAccountData = {
  deleteRows: deleteAppDataOfAccount,
  deleteRemainder: deleteAppRemainderOfAccount,
  setClosed: setAppAccountClosed,
  accountsWithRecords: accountsWithAppRecords,
  exportRecords: exportAppRecords,
  openImport: openAppImport,
};
