-- Written by `npm run docs:sql`.

-- listEntriesOfTypes
-- answers id int4, code text, name text, type text, note text null, unit text null, alarmLevel int2 null, analysisType text null, isFire bool, version int4, definitions json
SELECT
e.id, e.code, e.name, e.type, e.note, e.unit, e.alarm_level AS "alarmLevel", e.analysis_type AS "analysisType",
e.is_fire AS "isFire", e.version,
CASE WHEN e.type = 'ALARM' THEN (
  SELECT coalesce(
    json_agg(
      json_build_object('bitPosition', d.bit_position, 'equipClassify', d.equip_classify, 'name', d.name)
      ORDER BY d.equip_classify, d.bit_position),
    '[]'::json)
  FROM semaphore_definition d WHERE d.entry_id = e.id
) END AS definitions FROM dictionary_entry e
  WHERE $1::text[] IS NULL OR e.type = ANY($2::text[])
  ORDER BY e.type, e.order_num, e.id;

-- listEntries
-- answers id int4, code text, name text, type text, note text null, unit text null, alarmLevel int2 null, analysisType text null, isFire bool, version int4, definitions json
SELECT
e.id, e.code, e.name, e.type, e.note, e.unit, e.alarm_level AS "alarmLevel", e.analysis_type AS "analysisType",
e.is_fire AS "isFire", e.version,
CASE WHEN e.type = 'ALARM' THEN (
  SELECT coalesce(
    json_agg(
      json_build_object('bitPosition', d.bit_position, 'equipClassify', d.equip_classify, 'name', d.name)
      ORDER BY d.equip_classify, d.bit_position),
    '[]'::json)
  FROM semaphore_definition d WHERE d.entry_id = e.id
) END AS definitions FROM dictionary_entry e WHERE
($1::int4 IS NULL OR e.id = $2) AND
($3::text IS NULL OR e.type = $4)
AND ($5::text IS NULL OR strpos(lower(e.code), lower($6)) > 0)
AND ($7::text IS NULL OR strpos(lower(e.name), lower($8)) > 0)
  ORDER BY e.type, e.order_num, e.id
  LIMIT $9 OFFSET $10;

-- findNewestNote
-- answers note text
SELECT note FROM dictionary_entry WHERE type = $1 AND note <> ''
ORDER BY updated_at DESC, id DESC LIMIT 1;

-- countByType
-- answers type text, count int4
SELECT type, count(*)::int4 AS count FROM dictionary_entry GROUP BY type;

-- lockEntry
SELECT FROM dictionary_entry WHERE id = $1 FOR UPDATE;

-- lockEntry
-- answers id int4, code text, name text, type text, note text null, unit text null, alarmLevel int2 null, analysisType text null, isFire bool, version int4, definitions json
SELECT
e.id, e.code, e.name, e.type, e.note, e.unit, e.alarm_level AS "alarmLevel", e.analysis_type AS "analysisType",
e.is_fire AS "isFire", e.version,
CASE WHEN e.type = 'ALARM' THEN (
  SELECT coalesce(
    json_agg(
      json_build_object('bitPosition', d.bit_position, 'equipClassify', d.equip_classify, 'name', d.name)
      ORDER BY d.equip_classify, d.bit_position),
    '[]'::json)
  FROM semaphore_definition d WHERE d.entry_id = e.id
) END AS definitions FROM dictionary_entry e WHERE e.id = $1;

-- insertEntry
-- answers id int4
INSERT INTO dictionary_entry (type, code, name, note, unit, alarm_level, analysis_type, is_fire, order_num)
VALUES ($1, $2, $3, $4, $5, $6,
  $7, $8,
  (SELECT coalesce(max(order_num), 0) + 1 FROM dictionary_entry WHERE type = $9))
ON CONFLICT (type, code) DO NOTHING
RETURNING id;

-- lockCodesShared
-- answers code text
SELECT code FROM dictionary_entry WHERE type = $1 AND code = ANY($2::text[])
ORDER BY id FOR KEY SHARE;

-- exists
-- answers isThere bool
SELECT EXISTS (SELECT FROM equip_type WHERE classify = $1
UNION ALL SELECT FROM semaphore_definition WHERE equip_classify = $2) AS "isThere";
