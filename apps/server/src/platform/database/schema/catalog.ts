// Reads the catalog of a migrated database, for schema.sql and tables.ts.

import type pg from 'pg'

export interface Catalog {
  tables: CatalogTable[]
  /** Those of no column. */
  sequences: CatalogSequence[]
  functions: string[]
  views: { name: string; definition: string }[]
}

export interface CatalogSequence {
  name: string
  /** What differs from a plain CREATE SEQUENCE, e.g. `INCREMENT BY 1000`; empty where nothing does. */
  options: string
}

export interface CatalogTable {
  name: string
  columns: CatalogColumn[]
  constraints: { name: string; definition: string }[]
  indexes: { name: string; definition: string }[]
  triggers: string[]
  /** `RANGE (occurred_at)` of a partitioned table. */
  partitionKey: string | null
  /** `fillfactor=70` and the like. */
  storage: string[] | null
}

export interface CatalogColumn {
  name: string
  /** As SQL writes it: `character(1)`, `timestamp with time zone`, `integer[]`. */
  type: string
  collation: string | null
  isNullable: boolean
  defaultSql: string | null
  /** `GENERATED … AS IDENTITY`, `GENERATED … STORED`. */
  identity: 'ALWAYS' | 'BY DEFAULT' | null
  /** What differs from the usual sequence of an identity column; empty where nothing does. */
  identityOptions: string
  isComputed: boolean
  /** The only values that a CHECK of its own admits. */
  admittedValues: string[] | null
}

/** The table of applied migrations is no part of the schema that they make. */
const leftOut = 'schema_migrations'

/**
 * Reads the public schema. Partitions are left out: jobs make and drop them by the calendar, and a
 * reviewed result must not change with the day it is written.
 */
export async function readCatalog(pool: pg.Pool): Promise<Catalog> {
  const { rows: tables } = await pool.query<{
    oid: number
    name: string
    partitionKey: string | null
    storage: string[] | null
  }>(
    `SELECT oid, relname AS name, pg_get_partkeydef(oid) AS "partitionKey", reloptions AS storage
     FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname <> $1
     ORDER BY relname`,
    [leftOut],
  )
  const { rows: columns } = await pool.query<
    Omit<CatalogColumn, 'identityOptions' | 'admittedValues'> & { tableId: number; position: number }
  >(
    `SELECT a.attrelid AS "tableId", a.attnum AS position, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       (SELECT collname FROM pg_collation c
        WHERE c.oid = a.attcollation AND a.attcollation <> t.typcollation) AS collation,
       NOT a.attnotnull AS "isNullable", pg_get_expr(d.adbin, d.adrelid) AS "defaultSql",
       CASE a.attidentity WHEN 'a' THEN 'ALWAYS' WHEN 'd' THEN 'BY DEFAULT' END AS identity,
       a.attgenerated <> '' AS "isComputed"
     FROM pg_attribute a
     JOIN pg_type t ON t.oid = a.atttypid
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = ANY ($1) AND a.attnum > 0 AND NOT a.attisdropped
     ORDER BY a.attrelid, a.attnum`,
    [tables.map(({ oid }) => oid)],
  )
  // NOT NULL is told with the column; from version 18 on it is a constraint as well.
  const { rows: constraints } = await pool.query<{ tableId: number; name: string; definition: string }>(
    `SELECT conrelid AS "tableId", conname AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint
     WHERE conrelid = ANY ($1) AND contype IN ('p', 'u', 'f', 'c', 'x') AND conparentid = 0
     ORDER BY conrelid, array_position('{p,u,x,c,f}'::text[], contype::text), conname`,
    [tables.map(({ oid }) => oid)],
  )
  const { rows: indexes } = await pool.query<{ tableId: number; name: string; definition: string }>(
    `SELECT i.indrelid AS "tableId", c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = ANY ($1)
       AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
     ORDER BY c.relname`,
    [tables.map(({ oid }) => oid)],
  )
  const { rows: triggers } = await pool.query<{ tableId: number; definition: string }>(
    `SELECT tgrelid AS "tableId", pg_get_triggerdef(oid) AS definition
     FROM pg_trigger WHERE tgrelid = ANY ($1) AND NOT tgisinternal ORDER BY tgname`,
    [tables.map(({ oid }) => oid)],
  )
  const sequences = await readSequences(pool)
  const { rows: functions } = await pool.query<{ definition: string }>(
    `SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = pg_proc.oid AND d.deptype = 'e')
     ORDER BY proname, oid`,
  )
  const { rows: views } = await pool.query<{ name: string; definition: string }>(
    `SELECT relname AS name, pg_get_viewdef(oid) AS definition FROM pg_class
     WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  )
  const mine =
    (tableId: number) =>
    <Row extends { tableId: number }>(row: Row) =>
      row.tableId === tableId
  return {
    tables: tables.map(({ oid, name, partitionKey, storage }) => {
      const ownConstraints = constraints.filter(mine(oid))
      return {
        name,
        partitionKey,
        storage,
        constraints: ownConstraints,
        indexes: indexes.filter(mine(oid)),
        triggers: triggers.filter(mine(oid)).map(({ definition }) => definition),
        columns: columns.filter(mine(oid)).map((column) => ({
          ...column,
          identityOptions:
            sequences.find(({ tableId, position }) => tableId === oid && position === column.position)
              ?.options ?? '',
          admittedValues: admittedValues(column.name, ownConstraints),
        })),
      }
    }),
    sequences: sequences.filter(({ tableId }) => tableId === null),
    functions: functions.map(({ definition }) => definition.trim()),
    views,
  }
}

interface OwnedSequence extends CatalogSequence {
  /** The identity or serial column that it belongs to. */
  tableId: number | null
  position: number | null
}

/** Only what differs from the defaults, which follow from the type and the direction. */
async function readSequences(pool: pg.Pool): Promise<OwnedSequence[]> {
  const { rows } = await pool.query<OwnedSequence>(
    `SELECT c.relname AS name, d.refobjid::int AS "tableId", d.refobjsubid AS position,
       concat_ws(' ',
         CASE WHEN d.refobjid IS NULL AND s.type <> 'bigint' THEN 'AS ' || s.type END,
         CASE WHEN s.increment <> 1 THEN 'INCREMENT BY ' || s.increment END,
         CASE WHEN s.minimum <> s.usual_minimum THEN 'MINVALUE ' || s.minimum END,
         CASE WHEN s.maximum <> s.usual_maximum THEN 'MAXVALUE ' || s.maximum END,
         CASE WHEN s.start <> CASE WHEN s.increment > 0 THEN s.minimum ELSE s.maximum END
           THEN 'START WITH ' || s.start END,
         CASE WHEN s.cache <> 1 THEN 'CACHE ' || s.cache END,
         CASE WHEN s.cycle THEN 'CYCLE' END
       ) AS options
     FROM pg_class c
     CROSS JOIN LATERAL (
       SELECT format_type(seqtypid, NULL) AS type, seqincrement AS increment, seqmin AS minimum, seqmax AS maximum,
         seqstart AS start, seqcache AS cache, seqcycle AS cycle, width.usual,
         CASE WHEN seqincrement > 0 THEN 1 ELSE -width.usual - 1 END AS usual_minimum,
         CASE WHEN seqincrement > 0 THEN width.usual ELSE -1 END AS usual_maximum
       FROM pg_sequence
       CROSS JOIN LATERAL (SELECT CASE seqtypid WHEN 'smallint'::regtype THEN 32767
         WHEN 'integer'::regtype THEN 2147483647 ELSE 9223372036854775807 END AS usual) AS width
       WHERE seqrelid = c.oid
     ) AS s
     LEFT JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid
       AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
     WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace
     ORDER BY c.relname`,
  )
  return rows
}

/** `CHECK (type IN ('M', 'C'))` comes back as `CHECK ((type = ANY (ARRAY['M'::text, 'C'::text])))`. */
function admittedValues(column: string, constraints: { definition: string }[]): string[] | null {
  for (const { definition } of constraints) {
    const list = new RegExp(`^CHECK \\(\\(${column} = ANY \\(ARRAY\\[(.*)\\]\\)\\)\\)$`).exec(definition)?.[1]
    if (list === undefined) continue
    const values = list.split(', ').map((item) => item.replace(/::[a-z ]+$/, ''))
    if (values.every((value) => /^('[^']*'|-?\d+)$/.test(value))) return values
  }
  return null
}
