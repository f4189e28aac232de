-- Written by `npm run docs:sql`.

-- readCatalog
-- answers oid oid, name name, partitionKey text, storage _text null
SELECT oid, relname AS name, pg_get_partkeydef(oid) AS "partitionKey", reloptions AS storage
FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
  AND relname <> $1
ORDER BY relname;

-- readCatalog
-- answers tableId oid, position int2, name name, type text, collation name, isNullable bool, defaultSql text, identity text, isComputed bool
SELECT a.attrelid AS "tableId", a.attnum AS position, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
  (SELECT collname FROM pg_collation c
   WHERE c.oid = a.attcollation AND a.attcollation <> t.typcollation) AS collation,
  NOT a.attnotnull AS "isNullable", pg_get_expr(d.adbin, d.adrelid) AS "defaultSql",
  CASE a.attidentity WHEN 'a' THEN 'ALWAYS' WHEN 'd' THEN 'BY DEFAULT' END AS identity,
  a.attgenerated <> '' AS "isComputed"
FROM pg_attribute a
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = ANY ($1) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum;

-- readCatalog
-- answers tableId oid, name name, definition text
SELECT conrelid AS "tableId", conname AS name, pg_get_constraintdef(oid) AS definition
FROM pg_constraint
WHERE conrelid = ANY ($1) AND contype IN ('p', 'u', 'f', 'c', 'x') AND conparentid = 0
ORDER BY conrelid, array_position('{p,u,x,c,f}'::text[], contype::text), conname;

-- readCatalog
-- answers tableId oid, name name, definition text
SELECT i.indrelid AS "tableId", c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = ANY ($1)
  AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
ORDER BY c.relname;

-- readCatalog
-- answers tableId oid, definition text
SELECT tgrelid AS "tableId", pg_get_triggerdef(oid) AS definition
FROM pg_trigger WHERE tgrelid = ANY ($1) AND NOT tgisinternal ORDER BY tgname;

-- readCatalog
-- answers definition text
SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = pg_proc.oid AND d.deptype = 'e')
ORDER BY proname, oid;

-- readCatalog
-- answers name name, definition text
SELECT relname AS name, pg_get_viewdef(oid) AS definition FROM pg_class
WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace ORDER BY relname;

-- readSequences
-- answers name name, tableId int4, position int4 null, options text
SELECT c.relname AS name, d.refobjid::int AS "tableId", d.refobjsubid AS position,
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
ORDER BY c.relname;
