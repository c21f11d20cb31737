/** A role to create in a cluster. */
export interface ClusterRole {
  readonly name: string;
  /** Options of `ALTER ROLE`. */
  readonly options: string;
  /** SCRAM verifier of the password. */
  readonly verifier: string;
}

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** OID of the bootstrap superuser that initdb creates. */
const BOOTSTRAP_OID = 10;
/** Objects with smaller OIDs were created by initdb and remain the superuser's. */
const FIRST_OWN_OID = 16_384;

/**
 * Statements that create the roles, revoke every membership of the product's role, and disable every login of the bootstrap superuser.
 * The last statement prints the databases.
 */
export const accessSql = (roles: readonly ClusterRole[], appRole: string): readonly string[] => [
  "BEGIN",
  ...roles.flatMap(({ name, options, verifier }) => [
    `DO $$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${quotedText(name)}) THEN CREATE ROLE ${quotedName(name)}; END IF;
     END $$`,
    `ALTER ROLE ${quotedName(name)} ${options} PASSWORD ${quotedText(verifier)}`,
  ]),
  `DO $$ DECLARE item record; BEGIN
     FOR item IN
       SELECT granted.rolname FROM pg_auth_members m
         JOIN pg_roles granted ON granted.oid = m.roleid JOIN pg_roles member ON member.oid = m.member
        WHERE member.rolname = ${quotedText(appRole)}
     LOOP EXECUTE format('REVOKE %I FROM %I CASCADE', item.rolname, ${quotedText(appRole)}); END LOOP;
   END $$`,
  `DO $$ BEGIN
     EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', (SELECT rolname FROM pg_roles WHERE oid = ${BOOTSTRAP_OID}));
   END $$`,
  "COMMIT",
  "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY oid",
];

/** Parses the rows that the last statement of `accessSql` prints in single-user mode. */
export const databaseNames = (output: string): string[] =>
  [...output.matchAll(/^\t 1: datname = "(.*)"\t\(/gm)].map(([, name = ""]) => name);

/** Selects the objects of the current database that belong to the bootstrap superuser and not to an extension, as operands of ALTER … OWNER TO. */
const OWNED_OBJECTS = `
  WITH mine AS (
    SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
  ), schemas AS (
    SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
  )
  SELECT format('SCHEMA %I', nspname) AS object FROM pg_namespace n
   WHERE nspowner = ${BOOTSTRAP_OID} AND n.oid >= ${FIRST_OWN_OID} AND n.oid IN (SELECT oid FROM schemas)
  UNION ALL
  SELECT CASE c.relkind WHEN 'v' THEN 'VIEW ' WHEN 'm' THEN 'MATERIALIZED VIEW ' WHEN 'S' THEN 'SEQUENCE ' WHEN 'c' THEN 'TYPE '
                        ELSE 'TABLE ' END || c.oid::regclass
    FROM pg_class c
   WHERE c.relowner = ${BOOTSTRAP_OID} AND c.oid >= ${FIRST_OWN_OID} AND c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 'c')
     AND c.relnamespace IN (SELECT oid FROM schemas)
     AND ('pg_class'::regclass, c.oid) NOT IN (SELECT classid, objid FROM mine)
     -- A column's sequence follows its table.
     AND NOT EXISTS (SELECT FROM pg_depend d
                      WHERE c.relkind = 'S' AND d.classid = 'pg_class'::regclass AND d.objid = c.oid
                        AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i'))
  UNION ALL
  SELECT 'TYPE ' || t.oid::regtype FROM pg_type t
   WHERE t.typowner = ${BOOTSTRAP_OID} AND t.oid >= ${FIRST_OWN_OID} AND t.typtype IN ('b', 'd', 'e', 'r')
     AND t.typnamespace IN (SELECT oid FROM schemas)
     AND ('pg_type'::regclass, t.oid) NOT IN (SELECT classid, objid FROM mine)
     AND NOT EXISTS (SELECT FROM pg_type element WHERE element.typarray = t.oid)
  UNION ALL
  SELECT 'ROUTINE ' || p.oid::regprocedure FROM pg_proc p
   WHERE p.proowner = ${BOOTSTRAP_OID} AND p.oid >= ${FIRST_OWN_OID} AND p.pronamespace IN (SELECT oid FROM schemas)
     AND ('pg_proc'::regclass, p.oid) NOT IN (SELECT classid, objid FROM mine)
     AND NOT EXISTS (SELECT FROM pg_depend d
                      WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'i')
  UNION ALL
  SELECT format('STATISTICS %I.%I', n.nspname, s.stxname) FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace
   WHERE s.stxowner = ${BOOTSTRAP_OID} AND s.oid >= ${FIRST_OWN_OID} AND n.oid IN (SELECT oid FROM schemas)
  UNION ALL
  SELECT 'COLLATION ' || c.oid::regcollation FROM pg_collation c
   WHERE c.collowner = ${BOOTSTRAP_OID} AND c.oid >= ${FIRST_OWN_OID} AND c.collnamespace IN (SELECT oid FROM schemas)
     AND ('pg_collation'::regclass, c.oid) NOT IN (SELECT classid, objid FROM mine)
  UNION ALL
  SELECT 'LARGE OBJECT ' || oid FROM pg_largeobject_metadata WHERE lomowner = ${BOOTSTRAP_OID}`;

/** Statements that transfer a database, and the superuser's objects in it, to the product's role. They must run in that database. */
export const ownershipSql = (database: string, appRole: string): readonly string[] => [
  "BEGIN",
  `ALTER DATABASE ${quotedName(database)} OWNER TO ${quotedName(appRole)}`,
  `DO $$ DECLARE item record; BEGIN
     FOR item IN ${OWNED_OBJECTS} LOOP EXECUTE format('ALTER %s OWNER TO %I', item.object, ${quotedText(appRole)}); END LOOP;
   END $$`,
  "COMMIT",
];
