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
  "begin",
  ...roles.flatMap(({ name, options, verifier }) => [
    `do $$ begin
       if not exists (select from pg_roles where rolname = ${quotedText(name)}) then create role ${quotedName(name)}; end if;
     end $$`,
    `alter role ${quotedName(name)} ${options} password ${quotedText(verifier)}`,
  ]),
  `do $$ declare item record; begin
     for item in
       select granted.rolname from pg_auth_members m
         join pg_roles granted on granted.oid = m.roleid join pg_roles member on member.oid = m.member
        where member.rolname = ${quotedText(appRole)}
     loop execute format('revoke %I from %I cascade', item.rolname, ${quotedText(appRole)}); end loop;
   end $$`,
  `do $$ begin
     execute format('alter role %I nologin password null', (select rolname from pg_roles where oid = ${BOOTSTRAP_OID}));
   end $$`,
  "commit",
  "select datname from pg_database where datallowconn and not datistemplate order by oid",
];

/** Parses the rows that the last statement of `accessSql` prints in single-user mode. */
export const databaseNames = (output: string): string[] =>
  [...output.matchAll(/^\t 1: datname = "(.*)"\t\(/gm)].map(([, name = ""]) => name);

/** Selects the objects of the current database that belong to the bootstrap superuser and not to an extension, as operands of ALTER … OWNER TO. */
const OWNED_OBJECTS = `
  with mine as (
    select classid, objid from pg_depend where deptype = 'e'
  ), schemas as (
    select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
  )
  select format('schema %I', nspname) as object from pg_namespace n
   where nspowner = ${BOOTSTRAP_OID} and n.oid >= ${FIRST_OWN_OID} and n.oid in (select oid from schemas)
  union all
  select case c.relkind when 'v' then 'view ' when 'm' then 'materialized view ' when 'S' then 'sequence ' when 'c' then 'type '
                        else 'table ' end || c.oid::regclass
    from pg_class c
   where c.relowner = ${BOOTSTRAP_OID} and c.oid >= ${FIRST_OWN_OID} and c.relkind in ('r', 'p', 'f', 'v', 'm', 'S', 'c')
     and c.relnamespace in (select oid from schemas)
     and ('pg_class'::regclass, c.oid) not in (select classid, objid from mine)
     -- A column's sequence follows its table.
     and not exists (select from pg_depend d
                      where c.relkind = 'S' and d.classid = 'pg_class'::regclass and d.objid = c.oid
                        and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i'))
  union all
  select 'type ' || t.oid::regtype from pg_type t
   where t.typowner = ${BOOTSTRAP_OID} and t.oid >= ${FIRST_OWN_OID} and t.typtype in ('b', 'd', 'e', 'r')
     and t.typnamespace in (select oid from schemas)
     and ('pg_type'::regclass, t.oid) not in (select classid, objid from mine)
     and not exists (select from pg_type element where element.typarray = t.oid)
  union all
  select 'routine ' || p.oid::regprocedure from pg_proc p
   where p.proowner = ${BOOTSTRAP_OID} and p.oid >= ${FIRST_OWN_OID} and p.pronamespace in (select oid from schemas)
     and ('pg_proc'::regclass, p.oid) not in (select classid, objid from mine)
     and not exists (select from pg_depend d
                      where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'i')
  union all
  select format('statistics %I.%I', n.nspname, s.stxname) from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace
   where s.stxowner = ${BOOTSTRAP_OID} and s.oid >= ${FIRST_OWN_OID} and n.oid in (select oid from schemas)
  union all
  select 'collation ' || c.oid::regcollation from pg_collation c
   where c.collowner = ${BOOTSTRAP_OID} and c.oid >= ${FIRST_OWN_OID} and c.collnamespace in (select oid from schemas)
     and ('pg_collation'::regclass, c.oid) not in (select classid, objid from mine)
  union all
  select 'large object ' || oid from pg_largeobject_metadata where lomowner = ${BOOTSTRAP_OID}`;

/** Statements that transfer a database, and the superuser's objects in it, to the product's role. They must run in that database. */
export const ownershipSql = (database: string, appRole: string): readonly string[] => [
  "begin",
  `alter database ${quotedName(database)} owner to ${quotedName(appRole)}`,
  `do $$ declare item record; begin
     for item in ${OWNED_OBJECTS} loop execute format('alter %s owner to %I', item.object, ${quotedText(appRole)}); end loop;
   end $$`,
  "commit",
];
